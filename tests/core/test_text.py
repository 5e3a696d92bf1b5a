import math
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.text import (
    MAX_CONTENT,
    code_points,
    longest_mark_run,
    norm_hash,
    normalise,
    one_line,
    storable,
    storable_json,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))
TRICKY = st.text(
    st.sampled_from(
        "a é#1\u0301\u200b\u200c\u200d\ufe0f\ufe0e\u202e\u2329👩❤🏴می\u094d\u0915\u1820\u180b\u17d2\u2028\0\ud800\u2800"
    )
)
FAMILY = "👨\u200d👩\u200d👧"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "same",
    [
        ("Prefers mail", "prefers   MAIL ", "prefers\n\tmail", "prefers\u00a0mail", "prefers\u200b mail"),
        ("caf\u00e9", "cafe\u0301", "CAFÉ"),
        ("straße", "STRASSE", "strasse"),
        ("ﬁle №1", "file No1"),
        ("a b", "a\u200bb", "a\u202eb", "a\x00b", "a\u2028b", "a\u2060\u200d b", "\ufeffa\u00adb"),
        ("", " ", "\u200b", "\u3000\u00a0\u2800", "\u3164", "\U000e0041", "\x00"),
    ],
)  # fmt: skip
def test_texts_that_say_the_same_have_one_hash(same: tuple[str, ...]) -> None:
    assert len({norm_hash(text) for text in same}) == 1
    assert len({normalise(text) for text in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("refund 30 days", "refund 31 days"),
        ("paypal", "раypal"),
        ("ab", "a b"),
        ("", "a"),
        ("resume", "résumé"),
    ],
)
def test_texts_that_differ_have_two_hashes(one: str, other: str) -> None:
    assert norm_hash(one) != norm_hash(other)


def test_the_hash_is_16_bytes_and_never_changes() -> None:
    assert norm_hash("The refund window is 30 days.").hex() == "e36364c27fbb8b5c1f1fd0b959c4c0d0"


def test_a_lone_surrogate_compares_as_what_is_stored_for_it() -> None:
    assert norm_hash("a\ud800b") == norm_hash(storable("a\ud800b")[0]) == norm_hash("a\ufffdb")


@given(ANY_TEXT | TRICKY)
def test_normalised_text_has_single_inner_spaces_only(text: str) -> None:
    result = normalise(text)
    result.encode()
    assert result == " ".join(result.split())
    assert not any(unicodedata.category(character) in {"Cc", "Cf"} for character in result)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\r\n\tlines\u2028here \u00a0", "two lines here"),
        ("cafe\u0301", "caf\u00e9"),
        ("cafe\u200b\u0301", "caf\u00e9"),
        ("a\x00b\ud800c", "a\ufffdb\ufffdc"),
        ("ab\u202ecd\u202c \u2066x\u2069", "abcd x"),
        ("z\u200be\u2060r\ufeffo\u00ad\u034f", "zero"),
        ("bell\x07 esc\x1b[31m \x85 del\x7f", "bell esc[31m del"),
        ("a\U000e0041\U000e0042b\U000e0001", "ab"),
        ("hidden\ufe0f\ufe00\U000e0100", "hidden"),
        ("a\u200db\u200cc", "abc"),
        (f"{FAMILY} 👩🏽\u200d🔬 ❤\ufe0f\u200d🔥", f"{FAMILY} 👩🏽\u200d🔬 ❤\ufe0f\u200d🔥"),
        ("1\ufe0f\u20e3 ✈\ufe0f ✈\ufe0e 🇩🇪", "1\ufe0f\u20e3 ✈\ufe0f ✈\ufe0e 🇩🇪"),
        (ENGLAND, ENGLAND),
        ("🏴\U000e0068\U000e0069\U000e007f", "🏴"),
        ("❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f"),
        ("👩\u200d", "👩"),
        ("👩\u200d\u200d👧", "👩👧"),
        ("می\u200cروم", "می\u200cروم"),
        ("می\u200c\u200cروم\u200c", "میروم"),
        ("क्\u200dष ക്\u200d", "क्\u200dष ക്\u200d"),
        ("ᠠ\u180b", "ᠠ\u180b"),
        ("\u2800\u3164", ""),
        ("раypal", "раypal"),
        ("'; drop table facts; -- %_\\ <b>{{x}}</b>", "'; drop table facts; -- %_\\ <b>{{x}}</b>"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(ANY_TEXT | TRICKY)
def test_one_line_is_storable_and_stable(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert storable(line) == (line, 0)
    assert line == unicodedata.normalize("NFC", line) == line.strip()
    assert not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in line)


@pytest.mark.parametrize("text", ["\u0301\u180b\u17d2\u200c", "\u0301\u180b" + "\u17d2\u200c" * 50_000])
def test_one_line_is_stable_where_composing_moves_a_joiners_neighbour(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert "\u200c" not in line


@given(ANY_TEXT)
def test_storable_replaces_one_for_one(text: str) -> None:
    result, count = storable(text)
    result.encode()
    assert "\x00" not in result
    assert len(result) == len(text)
    assert count == sum(1 for old, new in zip(text, result, strict=True) if old != new)


def test_storable_leaves_the_rest_alone() -> None:
    assert storable("a\u202e\x01\n😀") == ("a\u202e\x01\n😀", 0)
    assert storable("\x00a\ud83d\ude00") == ("\ufffda\ufffd\ufffd", 3)


def test_storable_json_walks_keys_values_and_numbers() -> None:
    value = {
        "k\x00": ["a\ud800", {"n": math.nan, "p": math.inf, "m": -math.inf}],
        "whole": [10**299, -(10**300), True, None, 1.5, 0],
    }
    assert storable_json(value) == (
        {
            "k\ufffd": ["a\ufffd", {"n": "NaN", "p": "Infinity", "m": "-Infinity"}],
            "whole": [10**299, "-1" + "0" * 300, True, None, 1.5, 0],
        },
        6,
    )
    assert math.isnan(value["k\x00"][1]["n"])  # type: ignore[index, call-overload]


@pytest.mark.parametrize("value", [None, True, 3, "plain", [], {}, [[]], {"a": {"b": [1, "x"]}}])
def test_storable_json_copies_what_is_fine(value: object) -> None:
    assert storable_json(value) == (value, 0)


def test_storable_json_keeps_order_and_the_later_of_two_equal_keys() -> None:
    result, count = storable_json({"a\x00": {"first": 1}, "b": [], "a\ufffd": 2})
    assert (list(result.items()), count) == ([("a\ufffd", 2), ("b", [])], 1)


def test_storable_json_prints_numbers_python_refuses_to_print() -> None:
    assert storable_json(10**5_000) == ("1" + "0" * 5_000, 1)


def test_storable_json_has_no_depth_of_its_own() -> None:
    value: list[object] = ["\x00"]
    for _ in range(sys.getrecursionlimit() * 20):
        value = [value]
    result, count = storable_json(value)
    assert count == 1
    while isinstance(result, list):
        result = result[0]
    assert result == "\ufffd"


def test_lengths_are_code_points() -> None:
    assert code_points(FAMILY) == 5
    assert code_points("😀" * MAX_CONTENT) == MAX_CONTENT == 2000


def test_mark_runs_are_counted() -> None:
    assert longest_mark_run("plain") == 0
    assert longest_mark_run("e\u0301a\u0302\u0323") == 2
    assert longest_mark_run("x" + "\u0301" * 200 + "y\u0302") == 200


@pytest.mark.parametrize("marks", ["\u0301\u0327", "\u0301\u0327\u200b", "\u0301\u0344\uff9e\u0f73"])
def test_time_grows_with_the_length_of_a_stack_of_marks(marks: str) -> None:
    text = "a" + marks * (300_000 // len(marks))
    begin = time.perf_counter()
    line = one_line(text)
    normalise(text)
    assert time.perf_counter() - begin < 3
    assert longest_mark_run(line) <= 30
    assert one_line(line) == line
