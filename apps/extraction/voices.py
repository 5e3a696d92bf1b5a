"""Whose words a message holds: quotations, parts in a play, exercises, invented data and hearsay are nobody's facts.

All of it is found over the whole message before any sentence is read, so that "I live in Lyon" inside a dialogue to
practise is never met by the rules at all.
"""

import re

from apps.extraction.languages import joined

_QUOTED = re.compile(
    # A quotation mark opens only after white space or a bracket: the one in 13" is an inch.
    r'(?:(?<=[\s(\[:=])|^)"(?=\S)[^"\n]{1,600}"|“[^“”\n]{1,600}”|„[^„“”"\n]{1,600}[“”"]|«[^«»\n]{1,600}»'
    r"|(?:(?<=[\s(\[:])|^)'(?=\w)(?:[^'\n]|'(?=\w)){12,300}'(?!\w)",
    re.MULTILINE,
)
_FEW_WORDS = 2  # a name or a term in quotation marks is part of the speaker's own sentence

# What follows a colon is the speaker's own only if the words before it are known to open that. Where they speak of a
# text, a part or a task, somebody else speaks to the end of the message.
_HEAD = re.compile(r"(?<![^.!?\n:;])[^.!?\n:;]{1,90}:(?=\s)")
_OWN_HEAD = re.compile(
    joined(r"""
        \b(?:remember\w*|note(?: that| this| down)?|keep|file|memory|memori[sz]e|records?|mind|context|background|
        correction|reminder|update|intro\w*|introduc\w+|fyi|btw|by the way|p\.?s|rules?|policy|policies|habit|
        mistake|mixed up|wrong|out of date|outdated|anyway|also|from now on|gilt|gelten|ab (?:sofort|jetzt)|
        told (?:me|us)|always|never|future|every\w*|next (?:time|ones?)|because|reason|since|so|sorry|actually|word|
        fact|important|thing|things|details|data|preferences?|allerg\w+|address|name|phone|e-?mail|number|size|
        hours|diet|contact|(?:i|we|my|our|not|n't|no|yes|ok|okay|please|change|hello|hi|hey|right|well|now|basics|
        about me|in brief|look|honestly|in short|long story|first|second|save|store|write down|log|old|stale|
        current)|merk\w*|notier\w*|nicht|nein|übrigens|kurz|wichtig|mein\w*|unser\w*|bei uns|achtung|recuerd\w+|
        anot\w+|apunt\w+|mi|nuestr\w+|no|lembr\w+|meu|minha|noss\w+|não|not(?:ez|e)|retenez|retiens|mon|ma|notre|
        non|pas)\b|n't\b|^\W*(?:and |but |so )?(?:for|at|in|on|with)\b
    """),
    re.IGNORECASE,
)
_FOREIGN_HEAD = re.compile(
    joined(r"""
        \b(?:wrote|writes?|written|says?|said|reads|text|label|goes|replied|texted|posted|sent|sends|promis\w+|
        claim\w*|asked|answered|quote[ds]?|stat(?:es|ed)|lists?|rewrite|sentences?|examples?|exercise|dialogue|
        monologue|story|poem|novel|transcript|minutes|lyrics|chorus|song|verse|line|excerpt|extract|snippet|passage|
        paragraph|caption|headline|title|subject|slogan|motto|advert|ads?|poster|sign|notice|review|comment|tweet|
        letter|message|chat|log|horoscope|joke|riddle|template|sample|case study|question|quiz|test|passive|plural|
        tense|(?:first|second|third) person|translate|paraphrase|conjugate|correct|complete|describe|put into|
        turn into|spelling|verbs|words|grammar|vocabulary|dummy|mock|placeholder|fixture|row|input|output|prompt|
        persona|character|role|scene|sketch|act(?:ing)?|play(?:ing)?|game|speak(?:ing)? as|pretend\w*|picture|
        imagine|suppose|hypothe\w+|argument|scenario|forward\w*|pasted|copied|status|system|assistant|user|
        you (?:are|be)|you're|think of me|summary|entry|trial|facts you|know about|according|
        (?:manager|boss|landlord|supplier|neighbour|doctor|teacher|bank|hotel|airline|client|customer)'s \w+|terms|
        clause|website|site|competitor\w*|demo|enter|proofread|soften|schrieb|schreibt|beispiel\w*|satz|übersetz\w*|
        übung|aufgabe|zitat|écrit|dit|phrase|exemple|tradui\w+|exercice|escrib\w+|escrit[oa]|dice|traduc\w+|ejemplo|
        ejercicio|frase|escreveu|escreve|disse|traduz\w*|exemplo|exercício)\b(?<!\bfor example)
    """),
    re.IGNORECASE,
)
# A part in a play, an exercise, invented data: nothing in the whole message is meant.
_NOT_MEANT = re.compile(
    joined(r"""
        \b(?:role ?-?play(?:ing)?|let's play|let us play|in this (?:scenario|scene|sketch|role|story|exercise|
        dialogue)|(?:pretend|imagine|act|assume|suppose) (?:that )?(?:i am|i'm|you are|you're|we are|we're|to be)|
        act as (?:if|my|an?|the)|play the (?:part|role)|you(?:'re| are) (?:now|playing) (?:an?|the|my|in)|
        game ?master|dungeon master|(?:you(?:'re| are)|ur) (?:the|my|an?) \w+,? (?:and )?i(?:'?m| am) |
        (?:quiz|test) me on|you(?:'re| are|'ll be) the (?:waiter|interviewer|doctor|patient|customer|teacher|
        student|guest|host|seller|buyer|judge|boss|agent|clerk|landlord|tenant)|(?:act|play) (?:out|through)|
        we play \w+:|write (?:an?|me an?) (?:monologue|poem|song|story|speech|sketch|limerick|haiku|scene|dialogue)|
        you(?:'re| are) an? [\w ]{2,30}[.,;] i(?:'m| am) (?:an?|the)|we(?:'re| are) in an? \w+\. i(?:'m| am) the|
        first person,|be my (?:opponent|interviewer|patient|customer|examiner|sparring)|speaking as|
        i(?:'m| am) (?-i:[A-Z]\w+),? (?:and )?you(?:'re| are) |you(?:'re| are) (?-i:[A-Z])\w+ and i(?:'m| am)|
        test (?:one|1),? (?:two|2)|you(?:'ll| will)? be (?:the|my|an?) (?:\w+ )?(?:patient|doctor|customer|
        interviewer|waiter|teacher|student|agent|client|judge|boss|seller|buyer|guide|host|guest|king|queen|pirate|
        wizard|dragon)|i(?:'ll| will)? (?:be|play) the(?: \w+){1,3}, (?:and )?you|
        you the (?:patient|doctor|customer|teacher|student|guest|host|seller|buyer)|
        (?:dialogue|conversation|speaking|interview|improv) (?:practice|exercise)|
        for the (?:drama (?:class|club)|acting class|exercise|sketch|scene|play|role)|(?:in|stay in) character|
        conjugate|underline the|proof-?read|re(?:phrase|word)|spot the (?:mistake|error)|true or false|soften it|
        make (?:it|that) sound|code this|as follows|our campaign|(?:this|the) (?:campaign|adventure|quest)|
        argument's sake|sake of (?:the )?argument|asdf\w*|blah,? blah|qwertz|qwerty|fill in the (?:blanks?|gaps?)|
        how (?:do|would|does) (?:you|i|one|we) say|how is (?:that|this|it) (?:said|written)|
        what(?:'s| is) the (?:negative|plural|past tense|passive|opposite|subjunctive|synonym) of|phrase ?book|
        interview me|simulate an?|as my \w+ would|typing nonsense|(?:create|make|invent) an? (?:fake|fictional|
        imaginary)|(?:mock|past) (?:paper|exam)|word problem|multiple[- ]choice|example sentence|
        (?:oral|written|mock|practice) (?:exam|test)|logic puzzle|comprehension (?:task|test|question)|
        grammar (?:exercise|drill|question)|next line|the lyrics|which (?:song|poem|film|movie|play|novel) (?:is|
        are|has)|who (?:sang|wrote|sings) (?:that|this|it)|lorem ipsum|
        dummy (?:values?|data|text|user|name|account|entry|record)|placeholder (?:text|data|name|values?|user)|
        (?:made[- ]up|invented|fictional|fake) (?:name|data|values?|user|customer|person|profile|address|example)|
        (?:purely|all|entirely) (?:made up|invented|fictional)|(?:hello|hi),? test|test,? (?:hello|hi)\b|
        this is (?:only |just )?an? (?:test|sample|dummy|placeholder|example)|just testing|test,? test|
        testing,? (?:testing|one|1)|ignore this (?:message|mail|one|text)|(?:qa|smoke|load) (?:check|test) \d+|
        (?:john|jane) doe|(?:max|erika) mustermann|fulano de tal|rollenspiel|spielen wir|stell dir vor|tu so als|
        testnachricht|beispielsatz|übersetze?|konjugier\w*|jouons|jeu de rôle|imaginons|supposons|imagine que|
        données de test|message de test|comment dit-on|juguemos|hagamos un juego|juego de rol|imagina que|finge que|
        datos de prueba|mensaje de prueba|cómo se dice|vamos (?:jogar|fingir|brincar)|faz de conta|dados de teste|
        mensagem de teste|como se diz)\b|^\s{0,9}[\[{]\s{0,9}"\w{1,40}"\s{0,9}:
    """),
    re.IGNORECASE,
)
# The assistant's own prompt or memory, given back to it.
_RESTATED = re.compile(
    joined(r"""
        \b(?:you are (?:an?|the) (?:\w+ ){0,2}(?:assistant|chatbot|agent|expert|bot)|what you know about|
        (?:facts|things|notes) you(?:'ve| have)? (?:remembered|stored|saved|noted|learned|learnt|know)|
        user (?:prefers|lives|likes|works|has|is|wants)|your (?:system )?(?:instructions|prompt|guidelines|
        memory) (?:say|says|reads?|tells?|states?)|never reveal these|(?:retrieved|relevant) (?:facts|memories)|
        known about the (?:user|customer)|that's what you have)\b
    """),
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:(?<=\s)|^)[A-Z]: (?=\S)")  # "A: Where do you live? B: I live in Lyon."


def quoted(text: str) -> list[tuple[int, int]]:
    """Where longer quotations and sentences with a colon of unknown purpose stand: (start, end) pairs, sorted."""
    marked = [match.span() for match in _QUOTED.finditer(text) if len(match.group().split()) > _FEW_WORDS]
    said = text.replace("’", "'")
    unknown = [match for match in _HEAD.finditer(said) if not _OWN_HEAD.search(match.group())]
    return sorted(marked + [(match.start(), _sentence_end(said, match.end())) for match in unknown])


def _sentence_end(text: str, start: int) -> int:
    stop = re.compile(r"[.!?\n]").search(text, start)
    return stop.end() if stop else len(text)


def own_words(text: str) -> tuple[int, str]:
    """Where the speaker's own words end, and the reason for what follows: at 0 when nothing in the message is meant."""
    said = text.replace("’", "'")
    if _NOT_MEANT.search(said):
        return 0, "hypothetical"
    if _RESTATED.search(said):
        return 0, "restated-prompt"
    heads = (match for match in _HEAD.finditer(said) if _FOREIGN_HEAD.search(match.group()))
    labels = list(_LABEL.finditer(said))
    # One label alone may be an answer to the assistant's question.
    starts = [match.start() for match in (next(heads, None), labels[0] if len(labels) > 1 else None) if match]
    return min(starts, default=len(text)), "code-or-quote"
