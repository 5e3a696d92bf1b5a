from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core import clock
from apps.core.errors import FieldError, Invalid
from apps.core.fields import Reader

Read = Callable[[Reader], Any]


def codes(data: dict[str, Any], read: Read) -> list[tuple[str, str]]:
    """Read once, then the (code, pointer) of every fault."""
    reader = Reader(data)
    read(reader)
    try:
        reader.done()
    except Invalid as error:
        assert error.errors
        return [(fault.code, fault.pointer) for fault in error.errors]
    return []


def value(data: dict[str, Any], read: Read) -> Any:
    reader = Reader(data)
    result = read(reader)
    reader.done()
    return result


READS: dict[str, Read] = {
    "text": lambda r: r.text("f", max_length=2_000),
    "line": lambda r: r.text("f", max_length=20, one_line=True),
    "number": lambda r: r.number("f", 0, 1),
    "integer": lambda r: r.integer("f", 1, 200),
    "boolean": lambda r: r.boolean("f"),
    "choice": lambda r: r.choice("f", ("work", "home")),
    "timestamp": lambda r: r.timestamp("f"),
    "uuid": lambda r: r.uuid("f"),
    "ids": lambda r: r.id_list("f", min_items=1, max_items=3),
    "uuids": lambda r: r.uuid_list("f"),
    "texts": lambda r: r.text_list("f", max_length=5, max_items=3),
    "object": lambda r: r.object("f"),
    "objects": lambda r: r.objects("f", max_items=2),
    "json": lambda r: r.json("f"),
}


@pytest.mark.parametrize(
    ("kind", "sent", "code"),
    [
        ("text", 123, "wrong_type"),
        ("text", True, "wrong_type"),
        ("text", ["a"], "wrong_type"),
        ("text", "", "blank"),
        ("text", " \u00a0\n", "blank"),
        ("text", "\u200b\u200d\ufeff\u2800", "blank"),
        ("text", "x" * 2_001, "too_long"),
        ("text", "a" + "\u0301" * 200, "too_many_marks"),
        ("text", "a\x00", "null_character"),
        ("text", "a\ud800", "lone_surrogate"),
        ("line", "two\nlines", "control_character"),
        ("line", "two\u2028lines", "control_character"),
        ("number", True, "wrong_type"),
        ("number", "0.5", "wrong_type"),
        ("number", float("nan"), "non_finite"),
        ("number", float("inf"), "non_finite"),
        ("number", 10**400, "non_finite"),
        ("number", 1.5, "out_of_range"),
        ("number", -0.1, "out_of_range"),
        ("integer", True, "wrong_type"),
        ("integer", 1.0, "wrong_type"),
        ("integer", "1", "wrong_type"),
        ("integer", 0, "out_of_range"),
        ("integer", 201, "out_of_range"),
        ("boolean", 1, "wrong_type"),
        ("boolean", "true", "wrong_type"),
        ("choice", "play", "unknown_choice"),
        ("choice", 1, "wrong_type"),
        ("timestamp", 1_700_000_000, "wrong_type"),
        ("timestamp", "2026-01-01T00:00:00", "timezone_required"),
        ("timestamp", "2026-01-01", "invalid_timestamp"),
        ("timestamp", "2026-01-01 00:00:00Z", "invalid_timestamp"),
        ("timestamp", "2026-02-30T00:00:00Z", "invalid_timestamp"),
        ("timestamp", "2026-01-01T24:00:01Z", "invalid_timestamp"),
        ("timestamp", "2026-01-01T00:00:00+24:00", "invalid_timestamp"),
        ("timestamp", "٢٠٢٦-01-01T00:00:00Z", "invalid_timestamp"),
        ("timestamp", "2026-01-01T00:00:00Z\n", "invalid_timestamp"),
        ("timestamp", "1999-12-31T23:59:59Z", "out_of_range"),
        ("timestamp", "2000-01-01T00:59:59+01:00", "out_of_range"),
        ("timestamp", "0001-01-01T00:00:00+14:00", "out_of_range"),
        ("timestamp", "9999-12-31T23:59:59-14:00", "out_of_range"),
        ("uuid", "nonsense", "invalid_uuid"),
        ("uuid", "0190a1b2c3d47e5f8a9b0c1d2e3f4a5b", "invalid_uuid"),
        ("uuid", 5, "wrong_type"),
        ("ids", 5, "wrong_type"),
        ("ids", [], "too_few"),
        ("ids", [1, 2, 3, 4], "too_many"),
        ("texts", ["a", "b", "c", "d"], "too_many"),
        ("object", [], "wrong_type"),
        ("objects", {}, "wrong_type"),
        ("objects", [{}, {}, {}], "too_many"),
        *[(kind, None, "required") for kind in READS],
    ],
)
def test_one_bad_value_is_one_fault(kind: str, sent: object, code: str) -> None:
    assert codes({"f": sent}, READS[kind]) == [(code, "/f")]


@pytest.mark.parametrize(
    ("kind", "sent", "faults"),
    [
        ("ids", [1, True, 2**63], [("wrong_type", "/f/1"), ("out_of_range", "/f/2")]),
        ("ids", [0, "2"], [("out_of_range", "/f/0"), ("wrong_type", "/f/1")]),
        ("uuids", ["x"], [("invalid_uuid", "/f/0")]),
        (
            "texts",
            ["fine", "a\nb", "toolong"],
            [("control_character", "/f/1"), ("too_long", "/f/2")],
        ),
        ("objects", [1, {"x": 1}], [("wrong_type", "/f/0"), ("unknown_field", "/f/1/x")]),
    ],
)
def test_faults_in_a_list_carry_the_index(kind: str, sent: object, faults: list[tuple[str, str]]) -> None:
    assert codes({"f": sent}, READS[kind]) == faults


@pytest.mark.parametrize(
    ("kind", "sent", "result"),
    [
        ("text", " kept as sent\n", " kept as sent\n"),
        ("text", "😀" * 2_000, "😀" * 2_000),
        ("text", "👨\u200d👩\u200d👧 'раypal' \u202e", "👨\u200d👩\u200d👧 'раypal' \u202e"),
        ("number", 1, 1.0),
        ("number", 0.25, 0.25),
        ("integer", 200, 200),
        ("boolean", False, False),
        ("choice", "home", "home"),
        ("timestamp", "2026-01-01T01:00:00.1234567+01:00", datetime(2026, 1, 1, 0, 0, 0, 123456, UTC)),
        ("timestamp", "2024-02-29t12:00:00z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("timestamp", "2000-01-01T00:00:00-00:00", datetime(2000, 1, 1, tzinfo=UTC)),
        (
            "uuid",
            "0190A1B2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            UUID("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"),
        ),
        ("ids", [3, 2**63 - 1], [3, 2**63 - 1]),
        ("uuids", [], []),
        ("texts", ["a", "é"], ["a", "é"]),
        ("objects", [], []),
        ("json", {"any": [1, None]}, {"any": [1, None]}),
        ("json", False, False),
    ],
)
def test_good_values_are_read(kind: str, sent: object, result: object) -> None:
    read = value({"f": sent}, READS[kind])
    assert read == result
    assert type(read) is type(result)


def test_timestamps_may_be_a_day_ahead_or_as_far_as_allowed() -> None:
    soon = (clock.now() + timedelta(hours=23)).isoformat()
    later = (clock.now() + timedelta(hours=25)).isoformat()
    assert value({"f": soon}, READS["timestamp"]) == datetime.fromisoformat(soon)
    assert codes({"f": later}, READS["timestamp"]) == [("out_of_range", "/f")]
    assert value({"f": later}, lambda r: r.timestamp("f", allow_future=True)) == datetime.fromisoformat(later)
    overflow = {"f": "9999-12-31T23:59:59-14:00"}
    assert codes(overflow, lambda r: r.timestamp("f", allow_future=True)) == [("out_of_range", "/f")]


@pytest.mark.parametrize("data", [{}, {"f": None}])
def test_missing_fields_give_their_default(data: dict[str, Any]) -> None:
    assert value(data, lambda r: r.text("f", max_length=5, required=False)) is None
    assert value(data, lambda r: r.text("f", max_length=5, default="")) == ""
    assert value(data, lambda r: r.number("f", 0, 1, default=0.5)) == 0.5
    assert value(data, lambda r: r.integer("f", required=False)) is None
    assert value(data, lambda r: r.boolean("f", default=False)) is False
    assert value(data, lambda r: r.timestamp("f", default=None)) is None
    assert value(data, lambda r: r.id_list("f", required=False)) is None
    assert value(data, lambda r: r.object("f", required=False)) is None
    assert value(data, lambda r: r.objects("f", required=False)) is None
    assert codes(data, READS["text"]) == [("required", "/f")]


def test_blank_can_be_allowed() -> None:
    assert value({"f": ""}, lambda r: r.text("f", max_length=5, allow_blank=True)) == ""


def test_all_faults_come_at_once_and_unknown_fields_are_named() -> None:
    reader = Reader({"content": 1, "confidence": True, "extra": "s3cret", "a/b": 0})
    reader.text("content", max_length=10)
    reader.number("confidence", 0, 1)
    reader.integer("limit")
    with pytest.raises(Invalid) as caught:
        reader.done()
    assert caught.value.code == "invalid"
    assert caught.value.errors == (
        FieldError("wrong_type", "Has to be a text.", "/content"),
        FieldError("wrong_type", "Has to be a number.", "/confidence"),
        FieldError("required", "Is required.", "/limit"),
        FieldError("unknown_field", "There is no field extra here.", "/extra"),
        FieldError("unknown_field", "There is no field a/b here.", "/a~1b"),
    )
    assert "s3cret" not in repr(caught.value.errors)


def test_a_single_fault_gives_its_own_code() -> None:
    reader = Reader({"limit": 1_000}, "/page")
    reader.integer("limit", 1, 200)
    with pytest.raises(Invalid) as caught:
        reader.done()
    assert (caught.value.code, caught.value.pointer) == ("out_of_range", "/page/limit")
    assert caught.value.detail == "Has to be from 1 to 200."


def test_long_and_unstorable_unknown_names_are_cut() -> None:
    reader = Reader({"x" * 1_000: 1, "bad\ud800": 2})
    with pytest.raises(Invalid) as caught:
        reader.done()
    assert [fault.pointer for fault in caught.value.errors] == ["/" + "x" * 64, "/bad\ufffd"]


def test_nested_objects_are_read_to_the_end() -> None:
    data = {
        "facts": [{"content": "a", "confidence": 2}, {"content": " ", "typo": 1}],
        "options": {"a/b": {}},
    }

    def read(reader: Reader) -> None:
        for fact in reader.objects("facts", min_items=1, max_items=10):
            fact.text("content", max_length=5)
            fact.number("confidence", 0, 1, default=1.0)
        reader.object("options").object("a/b").boolean("dry")

    assert codes(data, read) == [
        ("out_of_range", "/facts/0/confidence"),
        ("blank", "/facts/1/content"),
        ("unknown_field", "/facts/1/typo"),
        ("required", "/options/a~1b/dry"),
    ]


def test_a_missing_object_is_one_fault_only() -> None:
    assert codes({}, lambda r: r.object("options").boolean("dry")) == [("required", "/options")]
    assert codes({}, lambda r: [one.boolean("x") for one in r.objects("facts")]) == [("required", "/facts")]


def test_own_faults_join_the_others() -> None:
    def read(reader: Reader) -> None:
        reader.integer("a")
        reader.fault("b", "expires_before_created", "May not be before it was made.")

    assert codes({"a": 1}, read) == [("expires_before_created", "/b")]


@given(st.dictionaries(st.sampled_from("fgh"), st.from_type(object) | st.text() | st.floats() | st.integers()))
def test_any_value_is_read_or_refused(data: dict[str, Any]) -> None:
    for read in READS.values():
        codes(data, read)
