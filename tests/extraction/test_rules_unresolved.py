"""A statement has to stand alone: what it speaks of may not be said elsewhere."""

from datetime import UTC, datetime

import pytest

from apps.extraction.candidates import Conversation, Turn
from apps.extraction.rules import RulesExtractor

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def read(text: str) -> tuple[list[str], dict[str, int]]:
    turn = Turn(1, "user", text, AT)
    extraction = RulesExtractor().extract(Conversation("0" * 32, "agent", "talk", "user", (turn,)))
    return [candidate.statement for candidate in extraction.candidates], dict(extraction.dropped)


@pytest.mark.parametrize(
    "text",
    ["I rely on them for strength.", "I love watching them play.", "I'm a big fan of them.", "I like that a lot."],
)
def test_what_leans_on_another_sentence_is_left_out(text: str) -> None:
    assert read(text) == ([], {"unresolved": 1})


def test_a_pronoun_whose_noun_is_beside_it_stays() -> None:
    assert read("I keep my two cats indoors and feed them raw meat.")[0] == [
        'Says: "I keep my two cats indoors and feed them raw meat."'
    ]
