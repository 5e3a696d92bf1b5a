import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import DomainError, Invalid, Malformed, TooLarge
from apps.core.strict_json import escape, lenient_loads, loads
from apps.core.text import storable_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**299), 10**299)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def lenient(body: bytes) -> Any:
    return lenient_loads(body, max_bytes=1_000, max_depth=5)


@given(JSON)
def test_both_read_what_is_plain_json(value: object) -> None:
    for body in (json.dumps(value).encode(), json.dumps(value, ensure_ascii=False).encode()):
        assert loads(body, any_top=True) == value
        assert lenient_loads(body, max_bytes=1_000_000, max_depth=100) == value


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        (b"", "empty_body", None),
        (b" \r\n\t", "empty_body", None),
        (b'\xef\xbb\xbf{"a":1}', "byte_order_mark", None),
        (b'{"a":"\xff"}', "invalid_utf8", None),
        (b'{"a":"\xed\xa0\x80"}', "invalid_utf8", None),
        (b'{"a":"\xc0\x80"}', "invalid_utf8", None),
        ('{"a":1}'.encode("utf-16"), "invalid_utf8", None),
        ('{"a":1}'.encode("utf-16-le"), "invalid_json", None),
        (b"{'a':1}", "invalid_json", None),
        (b'{"a":1}x', "invalid_json", None),
        (b'{"a":1,}', "invalid_json", None),
        (b'{"a":01}', "invalid_json", None),
        (b'{"a":"\x00"}', "invalid_json", None),
        (b'{"a":"\n"}', "invalid_json", None),
        (b'{"a":"\\x"}', "invalid_json", None),
        (b'{"a":"', "invalid_json", None),
        (b"\x1f\x8b\x08\x00", "invalid_utf8", None),
        (b"null", "object_expected", ""),
        (b"[]", "object_expected", ""),
        (b'"text"', "object_expected", ""),
        (b"17", "object_expected", ""),
        (b'{"a":1,"a":1}', "duplicate_key", ""),
        (b'{"x":[{"a":1,"\\u0061":2}]}', "duplicate_key", "/x/0"),
        (b'{"a":NaN}', "non_finite", "/a"),
        (b'{"a":[0,Infinity]}', "non_finite", "/a/1"),
        (b'{"a":-Infinity}', "non_finite", "/a"),
        (b'{"a":1e999}', "non_finite", "/a"),
        (b'{"a/b":{"c~d":-1e999}}', "non_finite", "/a~1b/c~0d"),
        (b'{"a":' + b"9" * 301 + b"}", "number_too_long", "/a"),
        (b'{"a":-' + b"9" * 5_000 + b"}", "number_too_long", "/a"),
    ],
)
def test_what_cannot_be_parsed_is_malformed(body: bytes, code: str, pointer: str | None) -> None:
    with pytest.raises(Malformed) as caught:
        loads(body)
    assert (caught.value.code, caught.value.pointer, caught.value.status) == (code, pointer, 400)


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        (b'{"a":"x\\u0000"}', "null_character", "/a"),
        (b'{"v":{"deep":["ok","\\u0000"]}}', "null_character", "/v/deep/1"),
        (b'{"v":{"k\\u0000":1}}', "null_character", "/v"),
        (b'{"a":"\\ud800"}', "lone_surrogate", "/a"),
        (b'{"a":"\\ude00\\ud83d"}', "lone_surrogate", "/a"),
        (b'{"\\udfff":1}', "lone_surrogate", ""),
        (b'{"":{"":"\\ud800"}}', "lone_surrogate", "//"),
    ],
)
def test_text_that_no_table_can_store_is_invalid(body: bytes, code: str, pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        loads(body)
    assert (caught.value.code, caught.value.pointer, caught.value.status) == (code, pointer, 422)


def test_every_fault_is_listed_the_unparseable_first() -> None:
    with pytest.raises(Malformed) as caught:
        loads(b'{"a":"\\u0000","b":NaN,"c":{"d":1,"d":2}}')
    assert [(fault.code, fault.pointer) for fault in caught.value.errors] == [
        ("non_finite", "/b"),
        ("duplicate_key", "/c"),
        ("null_character", "/a"),
    ]
    assert caught.value.code == "non_finite"


def test_at_most_twenty_faults_are_listed() -> None:
    with pytest.raises(Malformed) as caught:
        loads(json.dumps({"a": [math.nan] * 1_000, **{f"{n}\x00": 1 for n in range(50)}}).encode())
    assert len(caught.value.errors) == 20


def test_no_value_and_no_bad_key_is_repeated() -> None:
    for body in (
        b'{"tr0ub4dor":',
        b'{"a":"tr0ub4dor\\u0000"}',
        b'{"tr0ub4dor\\u0000":1}',
        b'{"a":tr0ub4dor}',
    ):
        with pytest.raises(DomainError) as caught:
            loads(body)
        assert "tr0ub4dor" not in repr((caught.value.detail, caught.value.errors))


def test_the_place_of_a_syntax_error_is_told() -> None:
    with pytest.raises(Malformed) as caught:
        loads(b'{\n  "a": ?}')
    assert caught.value.detail == "The body is not valid JSON: line 2, column 8."
    assert caught.value.__cause__ is None


def test_a_surrogate_pair_is_one_character() -> None:
    assert loads(b'{"a":"\\ud83d\\ude00"}') == {"a": "😀"}


def test_size_is_checked_in_bytes() -> None:
    body = b'{"a":"' + b"x" * 92 + b'"}'
    assert len(body) == 100
    assert loads(body, max_bytes=100) == {"a": "x" * 92}
    with pytest.raises(TooLarge) as caught:
        loads(body, max_bytes=99)
    assert (caught.value.code, caught.value.status) == ("body_too_large", 413)
    with pytest.raises(TooLarge):
        loads(b'{"a":"' + b"x" * 262_144 + b'"}')


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth - 1) + b"[]" + b"}" * (depth - 1)


def test_depth_is_checked_before_parsing() -> None:
    loads(nested(32))
    for depth in (33, 2_000, 40_000):
        with pytest.raises(Malformed) as caught:
            loads(nested(depth))
        assert caught.value.code == "too_deep"
    with pytest.raises(Malformed, match="too_deep"):
        loads(b"[" * 200_000)
    with pytest.raises(Malformed, match="too_deep"):
        lenient_loads(b"[" * 2_000_000, max_bytes=32_000_000, max_depth=64)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'[{"a":{"b":[[]]}},[["[["],1]]', [{"a": {"b": "nested too deep"}}, [["[["], 1]]),
        (b'[[[ [[1],"]]\\"" ] , {} ],2]]', [[["nested too deep", "nested too deep"], 2]]),
        (b"[" * 5_000 + b"]" * 5_000, [[["nested too deep"]]]),
    ],
)
def test_what_is_nested_too_deep_can_be_cut_away(body: bytes, expected: Any) -> None:
    assert lenient_loads(body, max_bytes=32_000, max_depth=3, cut=True) == expected
    with pytest.raises(Malformed, match="too_deep"):
        lenient_loads(body, max_bytes=32_000, max_depth=3)
    with pytest.raises(Malformed, match="too_deep"):
        lenient_loads(body[: body.index(b"]")], max_bytes=32_000, max_depth=3, cut=True)


def test_brackets_in_strings_have_no_depth() -> None:
    value = {"a": "[[[[{{{{", 'b"\\[': ['\\"[[[[', "\\"]}
    assert loads(json.dumps(value).encode(), max_depth=2) == value


def test_parsing_deeper_than_the_stack_is_no_crash() -> None:
    body = b"[" * 200_000 + b"]" * 200_000
    with pytest.raises(Malformed, match="too_deep"):
        lenient_loads(body, max_bytes=1_000_000, max_depth=1_000_000)


@pytest.mark.parametrize(
    "unit",
    [b'\\"', b"\\", b'"', b'"\\', b"[]", b"\\\\", b'""', b'{"a":', b"\xff"],
)
def test_time_grows_with_the_length_of_garbage(unit: bytes) -> None:
    body = b'"' + unit * (2_000_000 // len(unit))
    begin = time.perf_counter()
    with pytest.raises(Malformed):
        lenient_loads(body, max_bytes=32_000_000, max_depth=64)
    assert time.perf_counter() - begin < 3


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.text('{}[]":,\\u0dead1e.-NaInfity\x00 ', max_size=60).map(str.encode))
def test_any_bytes_give_json_or_a_domain_error(body: bytes) -> None:
    try:
        value = loads(body, any_top=True)
    except DomainError as error:
        assert error.status in {400, 413, 422}
    else:
        assert storable_json(value) == (value, 0)
    try:
        lenient_loads(body, max_bytes=50, max_depth=4)
    except DomainError as error:
        assert error.status in {400, 413}


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a":"\xff\xed\xa0\x80"}', {"a": "\ufffd\ufffd\ufffd\ufffd"}),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":"\n\t\x00\\u0000\\ud800"}', {"a": "\n\t\x00\x00\ud800"}),
        (b'{"a":Infinity,"b":1e999,"c":-Infinity}', {"a": math.inf, "b": math.inf, "c": -math.inf}),
        (b"[" + b"9" * 301 + b",-" + b"9" * 300 + b"]", ["9" * 301, -int("9" * 300)]),
        (b'"top"', "top"),
        (b"null", None),
    ],
)
def test_lenient_takes_what_strict_refuses(body: bytes, value: object) -> None:
    assert lenient(body) == value


def test_lenient_passes_nan() -> None:
    assert math.isnan(lenient(b"NaN"))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty_body"),
        (b"\xef\xbb\xbf", "invalid_json"),
        (b"{", "invalid_json"),
        (b"[[[[[[]]]]]]", "too_deep"),
        (b"x" * 1_001, "body_too_large"),
        (b"\xff", "invalid_json"),
    ],
)
def test_lenient_refuses_what_is_no_json(body: bytes, code: str) -> None:
    with pytest.raises(DomainError) as caught:
        lenient(body)
    assert caught.value.code == code


def test_escape() -> None:
    assert escape("a/b~c") == "a~1b~0c"
