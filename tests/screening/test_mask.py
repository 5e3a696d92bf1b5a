import json
import math
import sys
from typing import Any

import pytest

from apps.screening.findings import Finding
from apps.screening.screen import WITHHELD, mask, mask_json, screen

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6"
PEM = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----"


def test_only_secrets_are_masked() -> None:
    text = "jane@mail.example is allergic to nuts, PIN is 4821"
    found = screen(text)
    assert {f.kind for f in found.findings} == {"pii", "special", "secret"}
    assert mask(text, found.findings) == "jane@mail.example is allergic to nuts, PIN is [masked: pin]"
    assert mask(text, ()) == text


def test_overlapping_spans_become_one_mask_with_the_surest_name() -> None:
    found = [
        Finding("secret", "one", 2, 6, 0.5),
        Finding("secret", "two", 4, 8, 0.9),
        Finding("secret", "three", 8, 9, 0.9),
    ]
    assert mask("0123456789", found) == "01[masked: two][masked: three]9"


@pytest.mark.parametrize(
    ("value", "masked", "count"),
    [
        ("hello", "hello", 0),
        (f"use {TOKEN}", "use [masked: github-token]", 1),
        (12, 12, 0),
        (None, None, 0),
        ([True, 1.5, "x"], [True, 1.5, "x"], 0),
        ({"password": "hunter2", "user": "bob"}, {"password": "[masked: password]", "user": "bob"}, 1),
        ({"password": 48213, "ok": True}, {"password": "[masked: password]", "ok": True}, 1),
        ({"password": ["hunter2", "x1"], "x": ["y"]}, {"password": ["[masked: password]"] * 2, "x": ["y"]}, 2),
        ({"password": ""}, {"password": ""}, 0),
        ({"password": {"type": "string"}}, {"password": {"type": "string"}}, 0),
        ({"api_key": "a1b2c3d4e5"}, {"api_key": "[masked: assigned-secret]"}, 1),
        ({"token": " hello world"}, {"token": " hello world"}, 0),
        ({"input_tokens": 4096, "max_tokens": "4096"}, {"input_tokens": 4096, "max_tokens": "4096"}, 0),
        (
            {"headers": [{"name": "Authorization", "value": "Basic abcdefgh"}]},
            {"headers": [{"name": "Authorization", "value": "[masked: authorization]"}]},
            1,
        ),
        ({TOKEN: 1}, {"[masked: github-token]": 1}, 1),
        (
            {TOKEN: 1, TOKEN[:-1] + "7": 2},
            {"[masked: github-token]": 1, "[masked: github-token]'": 2},
            2,
        ),
    ],
)
def test_values(value: Any, masked: Any, count: int) -> None:
    before = json.dumps(value)
    got = mask_json(value)
    assert json.dumps(value) == before
    assert got == (masked, count, False)


def test_json_text_inside_strings_stays_json() -> None:
    arguments = {"user": "bob", "password": 'hun"ter2', "pin": 48213, "key": PEM, "n": 1.50}
    messages = [
        {"role": "user", "content": f"my password is hunter2-x, token {TOKEN} “é”"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "login", "arguments": json.dumps(arguments)}}]},
    ]
    for ensure_ascii in (True, False):
        text = json.dumps(messages, ensure_ascii=ensure_ascii, indent=1)
        masked, count, withheld = mask_json({"gen_ai.request.messages": text})
        assert (count, withheld) == (5, False)
        read = json.loads(masked["gen_ai.request.messages"])
        assert read[0]["content"] == "my password is [masked: password], token [masked: github-token] “é”"
        called = json.loads(read[1]["tool_calls"][0]["function"]["arguments"])
        assert called == {
            "user": "bob",
            "password": "[masked: password]",
            "pin": "[masked: password]",
            "key": "[masked: private-key]",
            "n": 1.5,
        }


def test_json_text_without_secrets_is_left_as_it_is() -> None:
    text = '{ "a":1.50,"a": [1e3 ,"\\u00e9\\/x"],\n"token":"", "password": null}'
    assert mask_json([text]) == ([text], 0, False)


def test_an_escape_hides_nothing_in_json_text() -> None:
    text = '{"x": "\\u0041KIAABCDEFGHIJKLMNOP"}'
    assert mask_json(text) == ('{"x": "[masked: aws-access-key]"}', 1, False)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f'[{{"content": "token {TOKEN}', '[{"content": "token [masked: github-token]'),
        (f'{{"a": "{TOKEN}", "b": "cut of', '{"a": "[masked: github-token]", "b": "cut of'),
        (f'[note] "quoted" {TOKEN}', '[note] "quoted" [masked: github-token]'),
        ("{name} has the password: hunter2", "{name} has the password: [masked: password]"),
    ],
)
def test_text_that_is_not_quite_json(text: str, masked: str) -> None:
    assert mask_json(text) == (masked, 1, False)


def test_what_one_message_tells_another_repeats() -> None:
    value = [{"content": "My password is hunter2-x."}, {"content": "Noted: hunter2-x"}, '{"memo": "hunter2-x"}']
    assert mask_json(value) == (
        [
            {"content": "My password is [masked: password]."},
            {"content": "Noted: [masked: password]"},
            '{"memo": "[masked: password]"}',
        ],
        3,
        False,
    )
    # A password that is also the name of a detector.
    once, count, _ = mask_json(["my password is private-key", PEM, "private-key"])
    assert (once, count) == (["my password is [masked: password]", "[masked: private-key]", "[masked: password]"], 3)
    assert mask_json(once) == (once, 0, False)


@pytest.mark.parametrize(
    "bounds", [{"budget_seconds": -1.0}, {"max_chars": 20}, {"max_chars": 0}], ids=["time", "size", "none"]
)
def test_over_a_bound_the_whole_value_is_withheld(bounds: dict[str, Any]) -> None:
    value = {"a": "my password is hunter2", "b": TOKEN}
    masked, _, withheld = mask_json(value, **bounds)
    assert (masked, withheld) == (WITHHELD, True)
    masked, count, withheld = mask_json(value, budget_seconds=math.inf, max_chars=sys.maxsize)
    assert (masked, count, withheld) == (
        {"a": "my password is [masked: password]", "b": "[masked: github-token]"},
        2,
        False,
    )


def test_depth_is_no_limit() -> None:
    value: Any = TOKEN
    for _ in range(50_000):
        value = [value]
    masked, count, withheld = mask_json(value, budget_seconds=60.0)
    for _ in range(50_000):
        (masked,) = masked
    assert (masked, count, withheld) == ("[masked: github-token]", 1, False)
    text = "[" * 50_000 + f'"{TOKEN}"' + "]" * 50_000
    assert mask_json(text, budget_seconds=60.0)[0] == text.replace(TOKEN, "[masked: github-token]")


def test_json_in_json_in_json_is_read_eight_deep_and_then_withheld() -> None:
    def nested(times: int) -> str:
        text = f'"{TOKEN}"'
        for _ in range(times):
            # The shortest way to nest: only the quotes and the escapes of before are escaped.
            text = '"' + text.replace("\\", "\\u005c").replace('"', "\\u0022") + '"'
        return text

    masked, count, withheld = mask_json(nested(5))
    assert (count, withheld) == (1, False)
    for _ in range(6):
        masked = json.loads(masked)
    assert masked == "[masked: github-token]"
    assert mask_json(nested(12)) == (WITHHELD, 0, True)
