"""Characters that a reader does not see and a model does."""

import re
from collections.abc import Iterator

from apps.screening.findings import Finding

_TAGS = re.compile("[\U000e0001\U000e0020-\U000e007f]+")
# The flags of England, Scotland and Wales are the only tag sequences in use.
_FLAG = re.compile(
    "\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "\U000e007f"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ZERO_WIDTH = re.compile("[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]+")
_LETTER = "[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]"
_SPLIT_WORD = re.compile(f"(?<!{_LETTER}){_LETTER}++(?:{_ZERO_WIDTH.pattern}+{_LETTER}++)++")
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
    for match in _SPLIT_WORD.finditer(text):
        gaps = list(_ZERO_WIDTH.finditer(match[0]))
        # Soft hyphens come with text copied from web pages; anything else has no business in a telling word.
        soft = all(gap[0].strip("\u00ad") == "" for gap in gaps)
        score = 0.05 if soft else 0.5 if _TELLING.search(_ZERO_WIDTH.sub("", match[0])) else 0.1
        yield Finding("hidden", "zero-width", match.start() + gaps[0].start(), match.start() + gaps[-1].end(), score)
    for match in _BIDI.finditer(text):
        overrides = "\u202d" in match[0] or "\u202e" in match[0]
        yield Finding("hidden", "bidi-control", match.start(), match.end(), 0.4 if overrides else 0.1)
