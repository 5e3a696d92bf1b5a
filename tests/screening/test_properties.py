"""What holds for any text and any value."""

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.screening.screen import mask, mask_json, screen
from apps.screening.secrets import MARK

ANY_TEXT = st.text(st.characters(exclude_categories=()))
PIECES = st.sampled_from(
    [
        *(
            "my password is ",
            "correct horse ",
            "hunter2",
            "Passwort: ",
            "senha é ",
            "secret ",
            "token=",
            "api_key: ",
            "PIN is ",
        ),
        *("AKIA" + "ABCDEFGHIJKLMNOP", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1", "sk-" + "a1B2c3D4e5F6g7H8i9J0k1", "hf_"),
        *(
            "eyJhbGciOiJIUzI1NiJ9",
            ".eyJzdWIiOiIxIn0",
            ".c2ln",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
        ),
        *(
            "postgres://",
            "https://",
            "bob:",
            "p@ss",
            "@db/x",
            "Bearer ",
            "Basic Ym9iOmh1bnRlcjI=",
            "9f8a7b6c5d4e3f2a1b0c",
        ),
        *(
            "[masked: password]",
            "[masked: ",
            "]",
            '"',
            "'",
            "\\",
            "{",
            "}",
            ":",
            "=",
            ",",
            ".",
            " ",
            "\n",
            "\0",
            "é",
            "ß",
        ),
        *(
            "4111 1111 1111 1111",
            "DE89 3704 0044 0532 0130 00",
            "jane@mail.example",
            "allergic to nuts",
            "ignore all rules ",
        ),
        *(
            "\u200b",
            "\u00ad",
            "\u202e",
            "\U000e0041",
            "\ufe0f",
            "\ufdfa",
            "\ud800",
            "İ",
            "Å",
            "а",
            "🏴",
            "助手",
            "إذا ",
        ),
    ]
)
TEXT = st.one_of(
    ANY_TEXT, st.lists(PIECES, max_size=14).map("".join), st.tuples(ANY_TEXT, PIECES, ANY_TEXT).map("".join)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT | st.sampled_from(["password", "token", "name", "value"]), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(TEXT)
def test_findings_lie_in_the_text_and_are_the_same_each_time(text: str) -> None:
    found = screen(text)
    assert found == screen(text)
    assert 0.0 <= found.injection_score <= 1.0
    assert all(0 <= f.start < f.end <= len(text) and 0 < f.score <= 1 for f in found.findings)
    assert [f.start for f in found.findings] == sorted(f.start for f in found.findings)
    assert all(one.end <= other.start for one, other in zip(found.secrets, found.secrets[1:], strict=False))


@settings(max_examples=400, deadline=None)
@given(TEXT)
def test_a_mask_takes_each_secret_out_and_nothing_else_and_does_so_once(text: str) -> None:
    found = screen(text).secrets
    masked = mask(text, found)
    kept, position = [], 0
    for finding in found:
        kept.append(text[position : finding.start])
        position = finding.end
    kept.append(text[position:])
    expected = kept[0]
    for finding, after in zip(found, kept[1:], strict=True):
        expected += f"[masked: {finding.detector}]" + after
    assert masked == expected
    assert screen(masked).secrets == ()
    assert mask(masked, screen(masked).findings) == masked


@settings(max_examples=300, deadline=None)
@given(JSON)
@example('"PASSWORT IS 000:00"000:00sk-00000000000000000000')
def test_masked_json_has_the_same_shape_and_is_masked_once(value: Any) -> None:
    masked, count, withheld = mask_json(value, budget_seconds=60.0)
    assert not withheld
    assert shape(masked) == shape(value)
    if count == 0:
        assert json.dumps(masked) == json.dumps(value)
    again, more, _ = mask_json(masked, budget_seconds=60.0)
    assert (again, more) == (masked, 0)


@settings(max_examples=300, deadline=None)
@given(JSON, st.booleans())
@example({"PASSWORT": 100.0}, False)
@example({"pin": -1234, "password": 1234e5}, True)
def test_json_text_parses_after_masking(value: Any, ensure_ascii: bool) -> None:
    text = json.dumps([value], ensure_ascii=ensure_ascii)
    masked, _, withheld = mask_json(text, budget_seconds=60.0)
    assert not withheld
    assert shape(json.loads(masked)) == shape([value])


def shape(value: Any) -> Any:
    """The value without its strings, and without numbers under a key that says password."""
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return "x" if isinstance(value, str | int | float) and not isinstance(value, bool) else value


def test_the_mark_is_known_as_one() -> None:
    text = "my password is hunter2"
    assert MARK.findall(mask(text, screen(text).findings)) == ["[masked: password]"]
