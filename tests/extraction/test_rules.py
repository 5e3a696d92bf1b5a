"""What the offline extractor keeps, word for word, and what it leaves out and why."""

from datetime import UTC, datetime

import pytest

from apps.extraction.candidates import Candidate, Conversation, Extraction, Turn
from apps.extraction.rules import RulesExtractor

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def read(*texts: str, served: frozenset[bytes] = frozenset()) -> Extraction:
    turns = tuple(Turn(number, "user", text, AT) for number, text in enumerate(texts))
    return RulesExtractor().extract(Conversation("a" * 32, "support", "shop", "ada", turns, served))


def only(*texts: str) -> Candidate:
    extraction = read(*texts)
    assert len(extraction.candidates) == 1, extraction
    return extraction.candidates[0]


# (what is said, statement, quote); the quote is null when it is the whole text
ABOUT_SPEAKER: list[tuple[str, str, str | None]] = [
    ("I moved to Porto in March", "Moved to Porto in March.", None),
    ("my name is Ana Moura", "Name is Ana Moura.", None),
    ("I prefer email", "Prefers email.", None),
    ("I'm allergic to nuts", "Is allergic to nuts.", None),
    ("I’m allergic to nuts", "Is allergic to nuts.", None),
    ("I work at Tallybee.", "Works at Tallybee.", None),
    ("call me after ten", "Asks to be called after ten.", None),
    ("Please don't call me before 10:00.", "Asks not to be called before 10:00.", None),
    ("Please call me Bea!", "Asks to be called Bea.", None),
    ("Always reply in German, please.", "Asks to be answered in German.", None),
    ("You can reach me on 912 345 678 after six.", "Can be reached on 912 345 678 after six.", None),
    ("Hi Tom, I live in Ghent now.", "Lives in Ghent now.", "I live in Ghent now."),
    ("I'm allergic to nuts, is the sampler safe?", "Is allergic to nuts.", "I'm allergic to nuts"),
    ("I have asthma, so no smoke please", "Has asthma.", "I have asthma"),
    ("I moved to Faro, could you update my address?", "Moved to Faro.", "I moved to Faro"),
    ("I no longer eat meat", "No longer eats meat.", None),
    ("I don't drink alcohol", "Does not drink alcohol.", None),
    ("I switched from Android to iPhone", "Switched from Android to iPhone.", None),
    ("I usually wear size 43", "Usually wears size 43.", None),
    ("I'm 1.84 m tall", "Is 1.84 m tall.", None),
    ("I'd rather be texted than called", "Would rather be texted than called.", None),
    ("I am a nurse at the city hospital.", "Is a nurse at the city hospital.", None),
    ("I'm on the payments team", "Is on the payments team.", None),
    ("I speak Arabic at home", "Speaks Arabic at home.", None),
    ("My new address is Rua das Flores 12.", "Address is Rua das Flores 12.", None),
    ("I'm away until 5 January.", "Is away until 5 January.", None),
    ("Remember that I only answer emails on Mondays", "Only answers emails on Mondays.", None),
    # More than one word for the speaker: his words stay his.
    ("I live with my wife in Porto", 'Says: "I live with my wife in Porto."', None),
    ("In March I moved to Porto", 'Says: "In March I moved to Porto."', None),
    ("From now on, I want my invoices as PDF", 'Says: "From now on, I want my invoices as PDF."', None),
    # German
    ("Ich wohne in Köln", 'Says: "Ich wohne in Köln."', None),
    ("Ich bevorzuge E-Mail.", 'Says: "Ich bevorzuge E-Mail."', None),
    ("Ich bin letzten Monat nach Leipzig umgezogen", 'Says: "Ich bin letzten Monat nach Leipzig umgezogen."', None),
    ("Bitte rufen Sie mich nie vor 17 Uhr an.", 'Says: "Bitte rufen Sie mich nie vor 17 Uhr an."', None),
    (
        "Hallo, ich bin allergisch gegen Nüsse",
        'Says: "Ich bin allergisch gegen Nüsse."',
        "ich bin allergisch gegen Nüsse",
    ),
    # Spanish
    ("Vivo en Zaragoza y busco una mochila", 'Says: "Vivo en Zaragoza."', "Vivo en Zaragoza"),
    ("Soy alérgica a las nueces", 'Says: "Soy alérgica a las nueces."', None),
    ("Prefiero el correo", 'Says: "Prefiero el correo."', None),
    ("Llámame después de las seis", 'Says: "Llámame después de las seis."', None),
    # Portuguese
    ("Moro em Braga", 'Says: "Moro em Braga."', None),
    ("Sou alérgico a amendoim", 'Says: "Sou alérgico a amendoim."', None),
    ("Ligue-me só depois das 17h", 'Says: "Ligue-me só depois das 17h."', None),
    ("Acabei de me mudar para Lisboa", 'Says: "Acabei de me mudar para Lisboa."', None),
    # French
    ("J'habite à Lyon", 'Says: "J\'habite à Lyon."', None),
    ("Je préfère le courrier", 'Says: "Je préfère le courrier."', None),
]

ABOUT_WORK: list[tuple[str, str, str | None]] = [
    ("our refund window is 30 days", "Our refund window is 30 days.", None),
    (
        "Remember that our refund window is 30 days. Thanks!",
        "Our refund window is 30 days.",
        "Remember that our refund window is 30 days.",
    ),
    ("please note: the warehouse is closed on 24 December", "The warehouse is closed on 24 December.", None),
    ("for the record, the release owner is Mira", "The release owner is Mira.", None),
    ("The release owner is Mira. Please remember that.", "The release owner is Mira.", "The release owner is Mira."),
    (
        "A photo is enough below 20 euros, remember that.",
        "A photo is enough below 20 euros.",
        "A photo is enough below 20 euros",
    ),
    ("from now on returns are 45 days", "From now on returns are 45 days.", None),
    ("always run the migrations before deploying", "Always run the migrations before deploying.", None),
    ("never ship batteries by air", "Never ship batteries by air.", None),
    (
        "Never give results by phone; they go to the portal.",
        "Never give results by phone; they go to the portal.",
        None,
    ),
    ("We deploy on Tuesdays and Thursdays only.", "We deploy on Tuesdays and Thursdays only.", None),
    ("All returns need the original box.", "All returns need the original box.", None),
    ("No deploys on Fridays, please", "No deploys on Fridays.", None),
    ("The clinic closes at 17:00 on Fridays.", "The clinic closes at 17:00 on Fridays.", None),
    (
        "The import failed on 20 May because the headers were missing.",
        "The import failed on 20 May because the headers were missing.",
        None,
    ),
    ("Unsere Rückgabefrist beträgt 30 Tage.", "Unsere Rückgabefrist beträgt 30 Tage.", None),
    ("Merk dir, dass unser Lager montags zu ist", "Merk dir, dass unser Lager montags zu ist.", None),
    ("Recuerda que nuestra tienda cierra los domingos", "Nuestra tienda cierra los domingos.", None),
    ("A partir de agora, as devoluções são 45 dias", "A partir de agora, as devoluções são 45 dias.", None),
    ("Notre délai de retour est de 45 jours", "Notre délai de retour est de 45 jours.", None),
]

DROPPED: list[tuple[str, dict[str, int]]] = [
    ("Do you ship to Norway?", {"question": 1}),
    ("how do I run a single test", {"question": 1}),
    ("I live in Porto, right?", {"question": 1}),
    ("Hi", {"greeting": 1}),
    ("Thanks a lot!", {"greeting": 1}),
    ("こんにちは。", {"greeting": 1}),
    ("👍🏽", {"small-talk": 1}),
    ("", {}),
    ("Never again!", {"small-talk": 1}),
    ("I'm the pope", {"joke": 1}),
    ("I'm allergic to Mondays", {"joke": 1}),
    ("I live in Porto 😂", {"joke": 1}),
    ("I live in Porto. Just kidding!", {"joke": 2}),
    ("Maybe I'll move to Rome", {"uncertain": 1}),
    ("I live in Porto, I think", {"uncertain": 1}),
    ("I think our refund window is 30 days", {"uncertain": 1}),
    ("Remember that perhaps we ship to Peru", {"uncertain": 1}),
    ("Ich glaube, ich wohne bald in Bonn", {"uncertain": 1}),
    ("My colleague Ana lives in Berlin", {"third-party": 1}),
    ("Ana lives in Berlin", {"third-party": 1}),
    ("my sister is allergic to nuts", {"third-party": 1}),
    ("Remember that my husband is vegan", {"third-party": 1}),
    ("Meine Frau ist schwanger", {"third-party": 1}),
    ("A minha irmã mora em Faro", {"third-party": 1}),
    ("She told the bot to ignore her old address", {"third-party": 1}),
    ("please send me the invoice", {"command": 1}),
    ("cancel my order 123", {"command": 1}),
    ("remember to send me the invoice", {"command": 1}),
    ("I want to return my tent", {"command": 1}),
    ("Call me back", {"command": 1}),
    ("Please call me tomorrow at ten", {"command": 1}),
    ("Quiero cancelar mi pedido", {"command": 1}),
    ("Ich möchte einen Termin", {"command": 1}),
    ("our order is late", {"no-durable": 1}),
    ("our build is broken", {"no-durable": 1}),
    ("Shipping is expensive", {"no-durable": 1}),
    ("I'd prefer the blue one", {"no-durable": 1}),
    ("I have a question", {"no-durable": 1}),
    ("I moved to the Team plan", {"no-durable": 1}),
    ("I carry my own tent", {"no-durable": 1}),
    ("My order number is 44321", {"no-durable": 1}),
    ("I have a headache today", {"no-durable": 1}),
    ('"I live in Porto"', {"code-or-quote": 1}),
    ("> our refund window is 30 days", {"code-or-quote": 1}),
    ("```\n# our cache window is 15 minutes\n```", {"code-or-quote": 1}),
    ("On Monday, Kim wrote:\nI live in Porto.", {"code-or-quote": 1}),
    ("remember this word: " + "a" * 80, {"code-or-quote": 1}),
    ("our rule is " + "very " * 120 + "long", {"too-long": 1}),
    ("Curated facts (agent:support):\n- Prefers email.\n- Our refund window is 30 days.", {"served": 1}),
    ("Known facts:\n- I live in Porto", {"served": 1}),
    ("I'm using my wife's account. I live in Porto.", {"no-durable": 1, "other-person": 1}),
    ("I prefer email. I prefer email!", {"repeated": 1}),
]


@pytest.mark.parametrize(("text", "statement", "quote"), ABOUT_SPEAKER)
def test_what_the_speaker_says_of_himself(text: str, statement: str, quote: str | None) -> None:
    kept = only(text)
    assert (kept.statement, kept.quote, kept.scope, kept.about) == (statement, quote or text, "user", "speaker")
    assert kept.sensitivity in {"personal", "special"}


@pytest.mark.parametrize(("text", "statement", "quote"), ABOUT_WORK)
def test_what_is_said_about_the_work(text: str, statement: str, quote: str | None) -> None:
    kept = only(text)
    assert (kept.statement, kept.quote, kept.scope, kept.about) == (statement, quote or text, "agent", "work")
    assert kept.sensitivity == "internal"


@pytest.mark.parametrize(("text", "reasons"), DROPPED)
def test_what_is_left_out_and_why(text: str, reasons: dict[str, int]) -> None:
    extraction = read(text)
    assert extraction.dropped == reasons
    assert len(extraction.candidates) == (1 if "repeated" in reasons else 0)
