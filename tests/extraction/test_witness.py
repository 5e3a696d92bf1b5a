"""Quotes are found where they stand, names and numbers nobody said are noticed, dates are read from the message."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from apps.extraction import dates
from apps.extraction.witness import locate, strangers, words_of

FRIDAY = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("I live in Porto", "Hi. I live in Porto.", "I live in Porto"),
        ("I live in Porto", "I  live\n in\tPorto", "I  live\n in\tPorto"),
        ("I'm in Köln", "so I’m in Ko\u0308ln now", "I’m in Ko\u0308ln"),
        ("I\u2019m in Ko\u0308ln", "so I'm in Köln now", "I'm in Köln"),
        ('call it "Moss"', "Please call it “Moss” again", "call it “Moss”"),
        ("nine - five", "we work nine – five here", "nine – five"),
        ("ignore", "ig\u200bnore that", "ig\u200bnore"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8 사람", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("住在东京", "我住在东京。", "住在东京"),
        ("👩‍🔬", "I am a 👩‍🔬 here", "👩‍🔬"),
        (" I prefer email. ", "Well, I prefer email. Thanks", "I prefer email."),
        ("I like", "I likely go, but I like tea", "I like"),
    ],
)
def test_a_quote_is_mapped_back_to_the_message_as_it_was_sent(quote: str, text: str, found: str) -> None:
    span = locate(quote, text)
    assert span is not None
    assert text[span[0] : span[1]] == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("I live in Lisbon", "I live in Porto."),
        ("i live in porto", "I live in Porto."),
        ("I like", "I likely go"),
        ("live in Port", "I live in Porto"),
        ("I do prefer email", "I prefer email"),
        ("", "anything"),
        ("   ", "a   b"),
        ("\u200b", "a\u200bb"),
        ("cafe", "the café"),
        ("x" * 5000, "x" * 5000),
    ],
)
def test_what_is_not_in_the_message_has_no_witness(quote: str, text: str) -> None:
    assert locate(quote, text) is None


def test_a_message_made_to_be_slow_is_not() -> None:
    marks = "a" + "\u0301" * 200_000
    assert locate("b", marks) is None
    assert locate("a" * 900, "a " * 100_000) is None


@pytest.mark.parametrize(
    ("statement", "said", "invented"),
    [
        ("Prefers email.", "I prefer email", []),
        ("Lives in Porto since 2019.", "I live in porto since 2019", []),
        ("Max prefers email.", "I prefer email", ["Max"]),
        ("Prefers email to Max Okafor.", "I prefer email", ["Max", "Okafor"]),
        ("Works nights.", "I do nights at the port", []),
        ("Has 30 days to return.", "we give thirty days", []),
        ("Has 14 days to return.", "we give thirty days", ["14"]),
        ("Lives in München-Pasing.", "ich wohne in münchen pasing", []),
        ("Bevorzugt Termine am Morgen.", "lieber einen Termin am morgen", []),
        ("The release owner is Chen.", "Release owner is Chen from now on", []),
        ("Asks to be called on Monday.", "call me on mondays", []),
        ("Anna's dog is called Moss.", "my dog is called Moss", ["Anna's"]),
    ],
)
def test_names_and_numbers_that_nobody_said(statement: str, said: str, invented: list[str]) -> None:
    assert strangers(statement, words_of([said])) == invented


@pytest.mark.parametrize(
    ("phrase", "begins"),
    [
        ("since last Monday", "2026-11-16"),
        ("last Monday", "2026-11-16"),
        ("from next week", "2026-11-23"),
        ("starting tomorrow", "2026-11-21"),
        ("from March", "2027-03-01"),
        ("since March", "2026-03-01"),
        ("since 2019", "2019-01-01"),
        ("next Monday", "2026-11-23"),
        ("in two weeks", "2026-12-04"),
        ("as of 8 January", "2027-01-08"),
    ],
)
def test_since_when(phrase: str, begins: str) -> None:
    assert dates.valid_from(phrase, FRIDAY) == datetime.fromisoformat(f"{begins}T00:00:00+00:00")


@pytest.mark.parametrize(
    ("phrase", "ends"),
    [
        ("until March", "2027-03-01"),
        ("until the end of March", "2027-04-01"),
        ("until Friday", "2026-11-28"),
        ("until next Friday", "2026-11-28"),
        ("until 15 March", "2027-03-16"),
        ("until year's end", "2027-01-01"),
        ("until tomorrow", "2026-11-22"),
        ("next week", "2026-11-30"),
        ("hasta mañana", "2026-11-22"),
    ],
)
def test_until_when(phrase: str, ends: str) -> None:
    assert dates.valid_to(phrase, FRIDAY) == datetime.fromisoformat(f"{ends}T00:00:00+00:00")


@pytest.mark.parametrize(
    "phrase", ["until further notice", "until I call", "", "soon", "always", "a" * 500, "99/99/9999"]
)
def test_no_date_is_no_date(phrase: str) -> None:
    assert dates.valid_to(phrase, FRIDAY) is None
    assert dates.valid_from(phrase, FRIDAY) is None


def test_a_day_is_a_day_of_the_speakers_zone() -> None:
    at = datetime(2026, 11, 20, 23, 30, tzinfo=timezone(timedelta(hours=9)))
    assert dates.valid_from("tomorrow", at) == datetime(2026, 11, 21, tzinfo=timezone(timedelta(hours=9)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Moved to Porto yesterday.", "Moved to Porto on 19 November 2026."),
        ("Is away until next Friday.", "Is away until 27 November 2026."),
        ("Started last month at Acme.", "Started in October 2026 at Acme."),
        ("Leaves in two weeks.", "Leaves on 4 December 2026."),
        ("Broke an arm two days ago.", "Broke an arm on 18 November 2026."),
        ("Works from home every Monday.", "Works from home every Monday."),
        ("Prefers the last row.", "Prefers the last row."),
    ],
)
def test_a_statement_says_the_date_and_not_yesterday(said: str, told: str) -> None:
    assert dates.absolute(said, FRIDAY) == told
