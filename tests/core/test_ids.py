import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from apps.core.ids import base62, crc_base62, uuid7, uuid7_text


def test_uuid7_has_version_variant_and_the_time() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid7()
    after = time.time_ns() // 1_000_000
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= after + 1


def test_uuid7_as_text_is_the_same_form() -> None:
    before, made, after = str(uuid7()), uuid7_text(), str(uuid7())
    assert before < made < after
    assert str(uuid.UUID(made)) == made


def test_uuid7_only_grows() -> None:
    made = [uuid7() for _ in range(20_000)]
    assert made == sorted(set(made))


def test_uuid7_grows_while_the_clock_stands_or_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    first = uuid7()
    for moment in (now, now, now - 2_000_000_000):
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment)
        second = uuid7()
        assert first < second
        first = second


def test_uuid7_is_unique_across_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [made for part in pool.map(lambda _: [uuid7() for _ in range(500)], range(8)) for made in part]
    assert len(set(made)) == 4_000


def test_base62_has_the_length_and_the_alphabet() -> None:
    made = {base62(43) for _ in range(200)}
    assert len(made) == 200
    assert all(re.fullmatch("[0-9A-Za-z]{43}", text) for text in made)
    assert base62(0) == ""


def test_crc_is_a_padded_base62_crc32() -> None:
    # CRC-32 of "123456789" is the published check value 0xCBF43926.
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    value = 0
    for digit in crc_base62("123456789"):
        value = value * 62 + digits.index(digit)
    assert value == 0xCBF43926
    assert crc_base62("") == "000000"
    assert crc_base62("mp_é") != crc_base62("mp_e")
    assert len(crc_base62("x", 8)) == 8
