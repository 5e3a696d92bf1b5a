"""The words by which two statements are compared. English, with negations of five more languages."""


def _words(text: str) -> list[str]:
    return text.split()


NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        _words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen twenty"
        )
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
NUMBERS |= {"hundred": "100", "thousand": "1000", "first": "1", "second": "2", "third": "3", "once": "1"}
NUMBERS |= {
    word: str(number)
    for number, word in enumerate(_words("fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"), start=4)
}
NUMBERS |= {"twice": "2", "both": "2", "half": "0.5", "quarter": "0.25", "dozen": "12"}
UNITS = frozenset(
    _words(
        "second minute hour day week month quarter year euro dollar pound cent percent gb mb km mile kg am pm $ € £ ¥ ₹ ₽"
        " ₩ ¢ % hundred thousand million billion trillion gram kilogram milligram tonne litre liter millilitre"
        " milliliter metre meter centimetre centimeter millimetre millimeter kilometre kilometer inch foot feet yard"
        " ounce gallon celsius fahrenheit degree byte kilobyte megabyte gigabyte terabyte watt kilowatt volt"
    )
)
NEGATIONS = frozenset(
    _words(
        "not no never none nobody nothing neither nor cannot without nicht kein keine keinen keiner nie niemals ohne"
        " nunca jamás não sem jamais sans pas ne ni niente senza"
    )
)
# What a limit, a time or a direction says lies in the word and in what follows it.
RELATIONS = {
    word: group
    for group, words in {
        "before": "before prior",
        "after": "after",
        "until": "until till",
        "since": "since",
        "over": "over above exceeding",
        "under": "under below",
        "from": "from",
        "only": "only just solely",
        "except": "except unless excluding",
        "if": "if",
        "instead": "instead",
        "against": "against",
        "past": "was were had former formerly previously used ex",
        "more": "more",
        "less": "less fewer",
        "most": "maximum most up",
        "least": "minimum least",
        "off": "off",
    }.items()
    for word in _words(words)
}
# Of two that change places around one of these, only one is at its end.
TOWARD = frozenset(["to", "by", "of", "for", "than"])
FILLERS = frozenset(
    _words(
        "a an the this that these those is are be been being am has have having do does did will would can could shall"
        " should may might must to of in on at as for by and or with it its he she they we i you his her their our my"
        " your him them us me who which there so also very please now currently always each every all any user own"
        " owns"
    )
)
SYNONYMS = {
    word: _words(words)[0]
    for words in (
        "prefer prefers preferred like likes want wants wish wishes",
        "answer answers answered reply replies respond responds response responses",
        "work works job",
        "shop shops store stores",
        "live lives resides reside dwells",
        "need needs require requires required necessary",
        "buy buys purchase purchases",
        "start starts begin begins",
        "call calls phone phones telephone",
        "email emails mail mails",
        "name named called",
    )
    for word in _words(words)
}
# Words that are a value as a number is: two statements that differ in one differ.
VALUES = frozenset(
    _words(
        "email call sms whatsapp letter chat fax daily weekly monthly yearly weekday weekend red blue green yellow"
        " orange purple pink brown black white grey gray silver gold beige $ € £ ¥ ₹ ₽ ₩ ¢ % < > ≤ ≥ ±"
        " monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
        " january february march april june july august september october november december"
        " jan feb apr jun jul aug sep sept oct nov dec"
        " spring summer autumn winter working business calendar hourly quarterly annual annually"
        " sometimes occasionally rarely seldom hardly barely stopped quit ended resigned avoid"
    )
)
OPPOSITES = {
    frozenset(pair.split("/"))
    for pair in _words(
        "open/clos lov/hat lik/hat rais/cut buy/sell start/finish start/end allow/forbid accept/refus pay/free"
        " new/exist join/leav gain/los increas/decreas left/right morn/even morn/afternoon morn/night afternoon/even even/night noon/midnight day/night send/receiv hot/cold dark/light"
        " last/next million/billion long/short brother/sister mother/father son/daughter old/young high/low public/private"
    )
}
