"""The labelled set is sound, pairing counts what it says, and held texts stay unseen."""

import copy
from dataclasses import replace

import pytest

from apps.extraction.candidates import Candidate
from benchmarks import rules
from benchmarks.labelled import Label, messages, problems, read_rows


def candidate(start: int, end: int, about: str = "speaker") -> Candidate:
    return Candidate(
        statement="s", scope="user", about=about, message_id=1, quote="q", start=start, end=end, attribute=None,
        category="general", memory_type="semantic", confidence=1, importance=0.5, sensitivity="personal",
        observed_at=rules.SAID_AT, rule="r", changes_known=False,
    )  # type: ignore[arg-type]  # fmt: skip


def test_the_labelled_set_is_sound() -> None:
    rows = read_rows()
    assert problems(rows) == []
    assert len(rows) == 665
    assert sum(row["trap"] for row in rows) == 369
    assert sum(len(row["facts"]) for row in rows) == 321


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("id", "m999", "m002: has the id m999"),
        ("split", "held", "m002: wrong split held; every third line is held"),
        ("lang", "xx", "m002: no text, or an unknown language xx"),
        ("facts", [], "m002: a trap has no facts and a known reason, anything else has facts and no reason"),
        (
            "facts",
            [{"quote": "not in there", "about": "work", "attribute": None, "negated": False}],
            "m002: a quote must be in the text exactly once",
        ),
    ],
)
def test_a_broken_row_is_named(field: str, value: object, said: str) -> None:
    rows = copy.deepcopy(read_rows())
    rows[1].update(trap=False, why="", facts=[{"quote": "x", "about": "work", "attribute": None, "negated": False}])
    rows[1]["text"] = "x marks the second row"
    assert problems(rows) == []
    rows[1][field] = value
    assert problems(rows) == [said]


def test_the_same_text_twice_is_named_whatever_its_case_and_spaces() -> None:
    rows = copy.deepcopy(read_rows())
    traps = [number for number, row in enumerate(rows) if row["trap"]][:2]
    rows[traps[1]]["text"] = "  " + rows[traps[0]]["text"].upper()
    assert problems(rows) == [f"the same text: m{traps[0] + 1:03d}, m{traps[1] + 1:03d}"]


def test_sixty_percent_of_the_shorter_quote_is_a_hit_and_less_is_not() -> None:
    label = (Label(0, 10, "speaker"),)
    assert rules.pairs([candidate(4, 40)], label) == {0: 0}
    assert rules.pairs([candidate(5, 40)], label) == {}
    assert rules.pairs([candidate(0, 10, "work")], label) == {}
    assert rules.pairs([candidate(3, 3)], label) == {}


def test_pairs_are_one_to_one_and_as_many_as_can_be() -> None:
    labels = (Label(0, 10, "speaker"), Label(10, 20, "speaker"))
    assert rules.pairs([candidate(0, 20)], labels) == {0: 0}
    assert rules.pairs([candidate(0, 10), candidate(1, 10)], labels) == {0: 0}
    # The wide one fits both, and gives the first up to the one that fits nothing else.
    assert rules.pairs([candidate(0, 20), candidate(0, 9)], labels) == {1: 0, 0: 1}


def test_scores_count_alarms_and_quotes_without_a_witness() -> None:
    chosen = [message for message in messages(read_rows()) if message.split == "tune"]
    sentences = rules.EverySentence()

    class Liar(rules.EverySentence):
        def extract(self, conversation: rules.Conversation) -> rules.Extraction:
            found = sentences.extract(conversation).candidates
            return rules.Extraction(tuple(replace(c, quote=c.quote + "!") for c in found))

    honest, liar = rules.measure(sentences, chosen), rules.measure(Liar(), chosen)
    traps = sum(message.trap for message in chosen)
    assert (honest.unwitnessed, honest.scores["tune"].alarms, honest.scores["tune"].traps) == (0, traps, traps)
    assert liar.unwitnessed == liar.scores["tune"].candidates == honest.scores["tune"].candidates
    assert liar.scores["tune"].hits == 0


def test_the_control_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.main(["--control"]) == 1
    assert "short of the goal" in capsys.readouterr().out


def test_held_texts_are_never_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        rules.main(["--control", "--split", "held", "--show-misses"])
    assert refused.value.code == 2
    assert capsys.readouterr().out == ""
    rules.main(["--control", "--show-misses"])
    shown = capsys.readouterr().out
    by_split = {split: [m for m in messages(read_rows()) if m.split == split] for split in ("tune", "held")}
    # Ids and not texts are compared first: a short held text may happen to be part of a longer one.
    assert [m.id for m in by_split["held"] if m.id in shown] == []
    assert [m.id for m in by_split["held"] if f": {m.text}\n" in shown] == []
    assert any(m.id in shown for m in by_split["tune"])
