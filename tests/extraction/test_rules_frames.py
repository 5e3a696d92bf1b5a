"""The general frames of the offline extractor: what each keeps and files where, and whose words it never takes."""

import time
from datetime import UTC, datetime

import pytest

from apps.extraction.candidates import Conversation, Extraction, Turn
from apps.extraction.rules import RulesExtractor

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def read(text: str) -> Extraction:
    turns = (Turn(1, "user", text, AT),)
    return RulesExtractor().extract(Conversation("a" * 32, "support", "shop", "ada", turns, frozenset()))


# (message, the quotes kept with what they are about)
KEPT: list[tuple[str, list[tuple[str, str]]]] = [
    ("I cycle to school, eight kilometres. Is there a rebate?", [("I cycle to school, eight kilometres.", "speaker")]),
    ("I'm the treasurer of our rowing club, so mail me.", [("I'm the treasurer of our rowing club", "speaker")]),
    ("I've got three hens. Which feed?", [("I've got three hens.", "speaker")]),
    ("I can't stand coriander. What else?", [("I can't stand coriander.", "speaker")]),
    ("Big dogs frighten me. Is there a fence?", [("Big dogs frighten me.", "speaker")]),
    ("My flat faces north. What grows there?", [("My flat faces north.", "speaker")]),
    (
        "I broke my wrist in May, which is why I dictate.",
        [("I broke my wrist in May, which is why I dictate.", "speaker")],
    ),
    ("Been sober since 2019. Cheers!", [("Been sober since 2019.", "speaker")]),
    ("Keep your answers short from now on.", [("Keep your answers short from now on.", "speaker")]),
    ("We have two rabbits and a pond.", [("We have two rabbits and a pond.", "speaker")]),
    ("I'll be on leave from 3 May until June.", [("I'll be on leave from 3 May until June.", "speaker")]),
    ("im a nurse and dont drive", [("im a nurse and dont drive", "speaker")]),
    ("Can you remember my bins go out on Fridays?", [("Can you remember my bins go out on Fridays?", "speaker")]),
    ("Contractors don't get keys. Who gave him one?", [("Contractors don't get keys.", "work")]),
    ("Refunds over 90 euros go through Jo.", [("Refunds over 90 euros go through Jo.", "work")]),
    ("In our shop nobody works alone after eight.", [("In our shop nobody works alone after eight.", "work")]),
    ("If a parcel is lost we refund first.", [("If a parcel is lost we refund first.", "work")]),
    ("We ship to Norway. Really?", [("We ship to Norway.", "work")]),
    ("We lost a client over it, so now there's a rota.", [("We lost a client over it", "work")]),
    ("My team uses Kanban.", [("My team uses Kanban.", "work")]),
    (
        "Our lab is in Delft, and the plant is in Breda.",
        [("Our lab is in Delft", "work"), ("the plant is in Breda.", "work")],
    ),
    ("Meinen Tee trinke ich ohne Zucker.", [("Meinen Tee trinke ich ohne Zucker.", "speaker")]),
    ("Bei uns unterschreiben immer zwei.", [("Bei uns unterschreiben immer zwei.", "work")]),
    ("Je ne bois pas de café. Un thé ?", [("Je ne bois pas de café.", "speaker")]),
    ("Nous ne prenons plus les chèques.", [("Nous ne prenons plus les chèques.", "work")]),
    ("Me encanta el té verde, ¿hay?", [("Me encanta el té verde", "speaker")]),
    ("Ya no damos soporte a Windows 7.", [("Ya no damos soporte a Windows 7.", "work")]),
    ("Tenho duas tartarugas. Que filtro?", [("Tenho duas tartarugas.", "speaker")]),
    ("Não fazemos entregas ao domingo.", [("Não fazemos entregas ao domingo.", "work")]),
]

NOBODYS: list[str] = [
    # plays, exercises, invented data, the assistant's own prompt
    "Let's act out a scene: I'm a sailor who hates water.",
    "In this scenario I'm a landlord with three flats.",
    "Translate this: I live in a small house by the sea.",
    "Exercise 4: we never ship on Sundays. Underline the verbs.",
    "Dialogue practice. A: Where do you live? B: I live in Lyon and I work in a bank.",
    "Fill it with dummy values: my name is Jan Test and I own a boat.",
    "Lorem ipsum, I own a boat, dolor sit amet.",
    "You are a helpful assistant. I prefer short answers.",
    # the words of others
    'The review reads: "We always stay here and love the breakfast".',
    'Her out-of-office says "I work part-time, Monday to Wednesday".',
    "A guest wrote in the chat: I'm diabetic and I need the meal early. Draft an answer.",
    "The manager's rule: we never refund after a week. Is that legal?",
    "Somebody in your team told me that we no longer support Android 9.",
    "My fitness app thinks that I run every day.",
    "Their terms say we deliver on Wednesdays only.",
    "My dad can't stand garlic.",
    "Our daughter-in-law doesn't eat gluten.",
    # not meant, not certain, not for long
    "If I lived in Oslo, would the delivery be free?",
    "Were I a morning person, I'd take the early slot.",
    "Suppose I'm a vegan with a nut allergy: what could I order?",
    "Yeah right, I'm a huge fan of your hold music.",
    "Oh sure, I just love waiting in a queue. 🙄",
    "Wow, thanks. My favourite thing is filling in forms.",
    "I run on coffee and spite, lol.",
    "I guess I could be a morning person.",
    "It's possible that I'm allergic to cats, I sneeze a lot.",
    "I'm a gold member, am I?",
    "I didn't say that I moved to Porto.",
    "Don't assume I live alone just because I ordered one cup.",
    "As a child I was afraid of the dark.",
    "I was vegetarian for a year in my twenties.",
    "Nobody likes Mondays.",
    "I have three tabs open and none of them loads.",
    "I'm on step 3 of 5 and the migration is at 60 percent.",
    "We are on branch fix/timezones, two commits ahead of main.",
    "I'm in the car right now, can't type.",
    "I'd like a window seat this time.",
    "I'm off to lunch, keep the job running.",
    "The gate code is 2580.",
]


@pytest.mark.parametrize(("text", "quotes"), KEPT)
def test_each_frame_keeps_its_clause(text: str, quotes: list[tuple[str, str]]) -> None:
    assert [(kept.quote, kept.about) for kept in read(text).candidates] == quotes


@pytest.mark.parametrize("text", NOBODYS)
def test_what_is_nobodys_fact_is_left_out(text: str) -> None:
    extraction = read(text)
    assert extraction.candidates == ()
    assert sum(extraction.dropped.values()) >= 1


def test_a_quotation_spoils_only_what_it_holds() -> None:
    text = '"We close at noon", says your site. I live in Ghent and prefer "gluten-friendly" bread.'
    assert [kept.quote for kept in read(text).candidates] == ['I live in Ghent and prefer "gluten-friendly" bread.']


def test_a_colon_of_unknown_purpose_spoils_only_its_sentence() -> None:
    text = "Plan for the barn: I own two horses. I live in Ghent."
    assert [kept.quote for kept in read(text).candidates] == ["I live in Ghent."]


@pytest.mark.parametrize(
    "head", ["every is ", "I have really ", "our a b c d ", "the a: ", "all is ", "you lost my a "]
)
def test_a_message_of_long_clauses_is_read_in_time(head: str) -> None:
    clause = (head * 100)[:480].strip() + ". "
    started = time.perf_counter()
    read(clause * (100_000 // len(clause)))
    assert time.perf_counter() - started < 10
