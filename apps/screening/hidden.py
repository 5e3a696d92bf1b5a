"""Characters that a reader does not see and a model does."""

import re
from collections.abc import Iterator

from apps.screening.findings import Finding
from apps.screening.reading import HIDDEN

_TAGS = re.compile("[\U000e0001\U000e0020-\U000e007f]+")
# The flags of England, Scotland and Wales are the only tag sequences in use.
_FLAG = re.compile(
    "\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "\U000e007f"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ZERO_WIDTH = re.compile("[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]+")
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_BEFORE = re.compile(f"[{_LETTERS}{HIDDEN}]*\\Z")
_AFTER = re.compile(f"[{_LETTERS}{HIDDEN}]*")
_STRIP = re.compile(f"[{HIDDEN}]+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_TELLING = re.compile(
    "ignore|disregard|forget|overrid|bypass|system|prompt|instruct|previous|assistant|passw|secret|reveal|forward|admin"
    "|execut|memory|approv|ignorier|anweisung|instruc|olvid|esque|oubli|игнор|систем",
    re.IGNORECASE,
)


def find(text: str) -> Iterator[Finding]:
    """Tag characters, runs of variation selectors, zero-width characters inside words of Latin, Greek and Cyrillic
    script (others are written with them), and bidirectional controls. The scores count as injection too."""
    if text.isascii():
        return
    for match in _TAGS.finditer(text):
        if not (text[match.start() - 1 : match.start()] == "\U0001f3f4" and _FLAG.fullmatch(match[0])):
            yield Finding("hidden", "tag-characters", match.start(), match.end(), 0.6)
    for match in _SELECTORS.finditer(text):
        yield Finding("hidden", "variation-selectors", match.start(), match.end(), 0.6)
    for match in _ZERO_WIDTH.finditer(text):
        left = _BEFORE.search(text[max(0, match.start() - 20) : match.start()])
        right = _AFTER.match(text[match.end() : match.end() + 20])
        before, after = (_STRIP.sub("", side[0]) if side else "" for side in (left, right))
        if before and after:
            # Soft hyphens come with text copied from web pages; anything else has no business in a telling word.
            soft = match[0].strip("\u00ad") == ""
            score = 0.05 if soft else 0.5 if _TELLING.search(before + after) else 0.1
            yield Finding("hidden", "zero-width", match.start(), match.end(), score)
    for match in _BIDI.finditer(text):
        overrides = "\u202d" in match[0] or "\u202e" in match[0]
        yield Finding("hidden", "bidi-control", match.start(), match.end(), 0.4 if overrides else 0.1)
