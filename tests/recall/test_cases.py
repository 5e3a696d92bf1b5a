"""A case of memory is read strictly, and written so that it reads back as it was."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from apps.core.errors import Invalid
from apps.recall.cases import Case, Memory, dump_case, parse_cases

GOOD: dict[str, Any] = {"name": "owner", "question": "Who?", "memories": [{"content": "Chen."}], "expected": ["Chen"]}


def faults(*lines: Any) -> list[tuple[str, str, str]]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    with pytest.raises(Invalid) as caught:
        parse_cases(text.encode())
    assert caught.value.code == "invalid_cases"
    return [(one.code, one.pointer, one.detail.split(": ")[0]) for one in caught.value.errors]


def test_a_case_with_every_field_reads_back_as_it_was_written() -> None:
    moment = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
    case = Case(
        name="everything",
        question="Who owns it?\nAnd since when?",
        memories=(
            Memory(content="Mira owns it.", superseded_by=3, kind="stale", betrayed_by=("Mira",), said_at=moment),
            Memory(
                content="Ada likes tea.",
                scope="user",
                agent="other",
                user="ada",
                attribute="drink",
                category="taste",
                memory_type="preference",
                importance=0.9,
                confidence=0.25,
                sensitivity="personal",
                expires_at=moment,
                valid_from=datetime(2026, 1, 1, tzinfo=UTC),
                valid_to=moment,
                state="contested",
                kind="other_subject",
                betrayed_by=("tea", "茶"),
            ),
            Memory(content="Chen owns it.", scope="project", elsewhere=True),
        ),
        expected=(("Chen",), ("May", "the fifth month")),
        must_not=("I guess",),
        outcome="ask",
        agent="planner",
        user="bob",
        now=moment,
        budget=200,
        limit=7,
    )
    plain = Case(name="plain", question="Who?", memories=(Memory(content="Chen."),), expected=(("Chen",),))
    text = dump_case(case) + dump_case(plain)
    assert parse_cases(text.encode()) == [case, plain]
    assert dump_case(plain) == json.dumps(GOOD | {"name": "plain"}) + "\n"


def test_one_that_expects_nothing_yet_is_written_and_refused_when_read() -> None:
    draft = dump_case(Case(name="draft", question="Who?", memories=(Memory(content="Chen."),)))
    assert faults(draft) == [("blank", "/expected", "Line 1")]


def test_blank_lines_and_a_bare_day_are_read() -> None:
    memory = {"content": "Chen.", "said_at": "2026-03-02"}
    (case,) = parse_cases(("\n" + json.dumps(GOOD | {"memories": [memory]}) + "\r\n\n").encode())
    assert case.memories[0].said_at == datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"name": " "}, "invalid", "/name"),
        ({"question": 7}, "wrong_type", "/question"),
        ({"expected": []}, "blank", "/expected"),
        ({"expected": "Chen"}, "wrong_type", "/expected"),
        ({"expected": ["Chen", [" "]]}, "invalid", "/expected"),
        ({"expected": ["Chen", []]}, "invalid", "/expected"),
        ({"outcome": "unknown"}, "contradiction", "/expected"),
        ({"outcome": "guess"}, "invalid", "/outcome"),
        ({"must_not": ["CHEN"]}, "contradiction", "/must_not"),
        ({"now": "yesterday"}, "invalid", "/now"),
        ({"now": "2026-05-04T09:30:00"}, "invalid", "/now"),
        ({"budget": 0}, "invalid", "/budget"),
        ({"budget": True}, "wrong_type", "/budget"),
        ({"limit": 201}, "invalid", "/limit"),
        ({"limit": None}, "wrong_type", "/limit"),
        ({"mustnt": []}, "unknown_field", "/mustnt"),
        ({"a/b~c": 1}, "unknown_field", "/a~1b~0c"),
        ({"memories": {}}, "wrong_type", "/memories"),
        ({"memories": ["Chen."]}, "object_expected", "/memories/0"),
        ({"memories": [{"content": "Chen."}, {"content": "x" * 2001}]}, "invalid", "/memories/1/content"),
        ({"memories": [{"content": "Chen.", "importance": 1.5}]}, "invalid", "/memories/0/importance"),
        ({"memories": [{"content": "Chen.", "scope": "user"}]}, "subject_required", "/memories/0/user"),
        ({"memories": [{"content": "Chen.", "scope": "agent", "user": "u"}]}, "subject_required", "/memories/0/user"),
        ({"memories": [{"content": "Chen.", "is": "stale"}]}, "blank", "/memories/0/betrayed_by"),
        ({"memories": [{"content": "Chen.", "betrayed_by": ["x"]}]}, "blank", "/memories/0/betrayed_by"),
        (
            {"memories": [{"content": "Chen.", "is": "stale", "betrayed_by": ["chen"]}]},
            "contradiction",
            "/memories/0/betrayed_by",
        ),
        ({"memories": [{"content": "Chen.", "superseded_by": 1}]}, "out_of_range", "/memories/0/superseded_by"),
        ({"memories": [{"content": "Chen.", "superseded_by": 2}]}, "out_of_range", "/memories/0/superseded_by"),
        (
            {"memories": [{"content": "Mira.", "superseded_by": 2, "state": "retired"}, {"content": "Chen."}]},
            "contradiction",
            "/memories/0/state",
        ),
    ],
)
def test_a_fault_is_named_by_its_line_and_field(change: dict[str, Any], code: str, pointer: str) -> None:
    assert faults(GOOD | {"name": "first"}, GOOD | change) == [(code, pointer, "Line 2")]


def test_every_fault_of_a_file_is_told_at_once() -> None:
    assert faults(GOOD, "{", {"question": ""}, GOOD, '{"name": "a", "name": "b"}') == [
        ("invalid_json", "", "Line 2"),
        ("required", "/name", "Line 3"),
        ("invalid", "/question", "Line 3"),
        ("blank", "/expected", "Line 3"),
        ("repeated", "/name", "Line 4"),
        ("duplicate_key", "", "Line 5"),
    ]
    assert len(faults(*["["] * 30)) == 20


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_a_case_is_refused(text: str) -> None:
    assert faults(text) == [("blank", "", "Line 1")]
