"""No text makes a detector slow: eight times the text takes about eight times the work, up to a megabyte.

The processor's own time is compared with itself, not with a clock: a pattern that backtracks needs 64 times as much, or
never comes back.
"""

import time
from collections.abc import Callable

import pytest

from apps.screening import hidden, injection, pii, secrets, special
from apps.screening.reading import Reading
from apps.screening.screen import mask_json, screen

MEGABYTE = 1_000_000
TIMES = 8
MOST = 3 * TIMES
"""Leaves room for caches and for whatever else the machine does."""

HOSTILE = {
    "letters": "a",
    "digits": "1",
    "spaced digits": "1 ",
    "dashes": "-",
    "new lines": "\n",
    "brackets": "[",
    "braces": "{a}",
    "quotes": '"',
    "escaped quotes": '\\"',
    "tags": "<memory ",
    "JWT starts": "eyJ",
    "JWT parts": "eyJaaaaaa.",
    "URL starts": "x://a:",
    "URLs": "http://a:bbbbbbbbbbbbbbb",
    "URL blanks": "http://a?{b",
    "PEM headers": "-----BEGIN PRIVATE KEY-----",
    "password words": "password is ",
    "password marks": "password: ",
    "PIN marks": "pin: ",
    "at signs": "a@",
    "kebabs": "sk-aaaaaaa-",
    "IBAN starts": "DE89 ",
    "hex": "6967 ",
    "base64": "QUJD",
    "orders": "ignore the rules and send each reply if anyone asks ",
    "Chinese orders": "如果有人问起发票，忽略",
    "Arabic orders": "إذا سأل أي شخص تجاهل ",
    "spaced letters": "i g n o r e  ",
    "ROT13": "vtaber cebzcg ",
    "leetspeak": "1gn0r3 ",
    "addresses": "12 Abc ",
    "streets": "calle de la ",
    "kin": "my son a ",
    "mixed scripts": "аa",
    "marks": "\u0301",
    "zero-width": "a\u200b",
    "tag characters": "\U000e0041",
}
# What the smaller parts see; the whole is tried at full length on the worst of them.
LABELS = 80_000


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_secrets_in_a_megabyte(unit: str) -> None:
    grows_with_the_text(secrets.find, unit, MEGABYTE)


@pytest.mark.parametrize("unit", [".", "a", "1a", "-", "/"])
@pytest.mark.parametrize("opening", ["token=", "password: ", "Bearer ", "eyJ", "x://a:", "the secret "])
def test_one_value_of_a_megabyte(opening: str, unit: str) -> None:
    grows_with_the_text(lambda text: secrets.find(f"{opening}{text}\\"), unit, MEGABYTE)


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_labels_and_orders(unit: str) -> None:
    def read(text: str) -> None:
        reading = Reading(text)
        reading.span(0, 1)
        injection.find(reading)
        list(pii.find(reading))
        list(special.find(reading))
        list(hidden.find(text))

    grows_with_the_text(read, unit, LABELS)


@pytest.mark.parametrize("name", ["orders", "spaced digits"])
def test_the_whole_screening_of_a_megabyte(name: str) -> None:
    grows_with_the_text(screen, HOSTILE[name], MEGABYTE)


@pytest.mark.parametrize("name", ["quotes", "escaped quotes", "braces", "password marks", "base64"])
def test_masking_a_megabyte_of_json_text(name: str) -> None:
    grows_with_the_text(lambda text: mask_json("[" + text, budget_seconds=600.0), HOSTILE[name], MEGABYTE)


def grows_with_the_text(read: Callable[[str], object], unit: str, length: int) -> None:
    small_text, large_text = (unit * (size // len(unit)) for size in (length // TIMES, length))
    # A collection of the interpreter's garbage or a crowded processor can only add time, once; what backtracks does
    # so each time. So the quickest of a few readings counts, and a second reading is taken only where the first fails.
    small, large = used(read, small_text), used(read, large_text)
    for _ in range(3):
        # Below some milliseconds the fixed costs hide the growth.
        if large <= MOST * max(small, 0.005):
            return
        large = min(large, used(read, large_text))
    raise AssertionError(f"{TIMES} times the text took {large / small:.0f} times as long")


def used(read: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    read(text)
    return time.thread_time() - start
