import pytest

from apps.screening.findings import QUARANTINE
from apps.screening.screen import screen

SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "detector", "span", "score"),
    [
        ("tea\U000e0041\U000e0042", "tag-characters", (3, 5), 0.6),
        ("🏴\U000e0041\U000e007f", "tag-characters", (1, 3), 0.6),
        ("a" + "\ufe01\ufe02\ufe03\U000e0100", "variation-selectors", (1, 5), 0.6),
        ("wo\u200brd", "zero-width", (2, 3), 0.1),
        ("pass\u200b\u200dword", "zero-width", (4, 6), 0.5),
        ("pass\u00adword", "zero-width", (4, 5), 0.05),
        ("abc\u202edef", "bidi-control", (3, 4), 0.4),
        ("a \u2067b\u2069", "bidi-control", (2, 3), 0.1),
    ],
)
def test_hidden_characters(text: str, detector: str, span: tuple[int, int], score: float) -> None:
    found = [f for f in screen(text).findings if f.kind == "hidden"]
    assert [(f.detector, (f.start, f.end), f.score) for f in found[:1]] == [(detector, span, score)]


@pytest.mark.parametrize(
    "text",
    [
        f"Lives in Scotland {SCOTLAND}",
        "👩\u200d👩\u200d👧 came along ❤\ufe0f",
        "می\u200cخواهم چای بنوشم",
        "क\u094d\u200dष",
        "a \u200b b",
        "ไทย\u200bภาษา",
    ],
)
def test_what_writing_needs_is_not_hidden(text: str) -> None:
    assert screen(text).findings == ()


def test_an_instruction_in_tags_is_quarantined() -> None:
    assert screen("Hi\U000e0041").injection_score >= QUARANTINE
