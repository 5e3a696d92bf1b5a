"""Values that differ are never one: not as a fact and its rewording, and not as two that wait."""

import pytest

from apps.core.transactions import bind
from apps.curation.likeness import likeness
from apps.curation.models import Proposal
from tests.curation.stage import learn, outcome, propose_one, stage, wish

APART = {
    "numbers": [
        ("Takes 1,5 mg a day.", "Takes 15 mg a day."),
        ("Store it at -20 degrees.", "Store it at 20 degrees."),
        ("Store it at −20 degrees.", "Store it at 20 degrees."),
        ("Earns 2 million a year.", "Earns 2 billion a year."),
        ("Is the fourth in line.", "Is the fifth in line."),
        ("Alerts when load < 5.", "Alerts when load > 5."),
        ("Holds up to 5 seats.", "Holds 5 seats."),
        ("Moves from 2 to 3.", "Moves from 3 to 2."),
        ("Mira has 2 and Chen has 3 seats.", "Mira has 3 and Chen has 2 seats."),
        ("Reads a quarter of it.", "Reads half of it."),
    ],
    "codes": [
        ("Owns the book called Volume11.", "Owns the book called Volume1."),
        ("Owns the book called volume11.", "Owns the book called volume1."),
        ("Owns Volume XIII.", "Owns Volume XII."),
        ("Part a1b2 costs 5 euros.", "Part a1b3 costs 5 euros."),
        ("Runs release v1.2.", "Runs release v2.1."),
        ("Runs Python 3.11.", "Runs Python 3.1."),
        ("Order INV-2024-001 is his.", "Order INV-2024-010 is his."),
        ("Uses room AA.", "Uses room A."),
        ("The error is E100.", "The error is E1000."),
    ],
    "addresses": [
        ("Email is jo@example.com.", "Email is joe@example.com."),
        ("Email is ann.lee@example.com.", "Email is lee.ann@example.com."),
        ("The email server is mail.example.com.", "The email server is mail.example.org."),
        ("Docs are at https://example.com/a/b.", "Docs are at https://example.com/b/a."),
        ("Her phone is 351 912 345 678.", "Her phone is 351 912 678 345."),
        ("Her phone is 555-1234.", "Her phone is 1234-555."),
    ],
    "dates": [
        ("Starts on 2024-03-12.", "Starts on 2024-12-03."),
        ("Starts on 12/03/2024.", "Starts on 03/12/2024."),
        ("Is away until 5 march.", "Is away until 5 april."),
        ("Is away in May.", "Is away."),
        ("Is away in March.", "Is away in May."),
        ("Calls 5 people on monday.", "Calls 5 people on tuesday."),
        ("Met 5 people last week.", "Meets 5 people next week."),
        ("Rests at 5 in the morning.", "Rests at 5 in the afternoon."),
    ],
    "negation": [
        ("Lives in Lisbon.", "Used to live in Lisbon."),
        ("Lives in Lisbon.", "Left Lisbon."),
        ("Eats in Lisbon.", "Hardly eats in Lisbon."),
        ("Works from Lisbon.", "Sometimes works from Lisbon."),
        ("Works from Lisbon.", "Stopped working from Lisbon."),
        ("Ships to the US.", "Ships."),
    ],
    "names": [
        ("Her sister is Anne.", "Her sister is Ann."),
        ("Works with Adam.", "Works with Adams."),
        ("Mira handles 2 releases.", "Chen handles 2 releases."),
        ("Needs a car.", "Needs care."),
        ("Wants to see the police.", "Wants to see the policy."),
        ("Drives a beige Volvo.", "Drives a silver Volvo."),
    ],
    "units": [
        ("Runs 5 m a day.", "Runs 5 km a day."),
        ("Takes 5 mg.", "Takes 5 ml."),
        ("Takes 5 grams.", "Takes 5 milligrams."),
        ("Returns take 45 working days.", "Returns take 45 calendar days."),
        ("Pays ₹5.", "Pays ₽5."),
        ("Pays 5 usd.", "Pays 5 eur."),
        ("Bakes at 180 °C.", "Bakes at 180 °F."),
    ],
}
PAIRS = [
    pytest.param(*pair, id=f"{kind}-{number}") for kind, pairs in APART.items() for number, pair in enumerate(pairs)
]
TOGETHER = [
    ("Pays 1,000 euros.", "Pays 1000 euros."),
    ("Orders books.", "Ordered a book."),
    ("Plans the release.", "Planned releases."),
    ("Charles is the owner.", "The owner is Charles."),
    ("Email is jo@example.com.", "Mail is jo@example.com"),
    ("Runs 5 km a day.", "Every day runs 5 km."),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_not_even_where_meaning_words_and_attribute_agree(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        for similarity in (None, 1.0):
            assert not likeness(*pair).says_the_same(similarity=similarity, words=1.0, same_attribute=True)
            assert not likeness(*pair).says_the_same(similarity=similarity, words=1.0, same_attribute=False)


@pytest.mark.parametrize(("first", "second"), TOGETHER)
def test_the_same_values_still_are_one(first: str, second: str) -> None:
    assert likeness(first, second).degree == likeness(second, first).degree == "same"


@pytest.mark.django_db
def test_a_waiting_one_swallows_no_other_value() -> None:
    project = stage("one", "two")
    for number, trace in ((1, "t"), (11, "one"), (111, "two")):
        made = outcome(project, wish(project, f"Owns the book called Volume{number}.", user="ada", trace=trace))
        assert (made.kind, made.rule) == ("proposed", "")
    with bind(project.id):
        assert sorted(Proposal.objects.values_list("content", "flags")) == [
            ("Owns the book called Volume1.", []),
            ("Owns the book called Volume11.", []),
            ("Owns the book called Volume111.", []),
        ]


@pytest.mark.django_db
def test_a_fact_is_not_said_again_by_another_value() -> None:
    project = stage("one")
    learn(project, wish(project, "Owns the book called Volume1.", user="ada"))
    proposal = propose_one(project, wish(project, "Owns the book called Volume11.", user="ada", trace="one"))
    assert (proposal.op, "duplicate" in proposal.flags) == ("add", False)
