"""A text as a model reads it, with the way back to the original."""

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

TAG_BASE = 0xE0000
"""The invisible tag characters U+E0020..U+E007E mirror ASCII from this point on."""

HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0100-\U000e01ef"
)
# Vowel signs and the stretching stroke of Arabic change no word but would split every pattern.
_DROPPED = re.compile(f"[{HIDDEN}\u064b-\u0652\u0640\U000e0001\U000e007f]")
_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
    **{"ß": "ss", "ı": "i", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"},
    **{"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه"},
}
# Cyrillic and Greek letters that pass for Latin ones.
_LOOK_ALIKES = str.maketrans(
    "аАвВсСеЕԁһНіІјЈкКӏмМоОрРԛѕЅтТхХуУԝοΟαΑεΕιΙκΚνΝρΡτΤυΥχΧΒΗΜΖ",
    "aABBcCeEdhHiIjJkKlmMoOpPqsStTxXyYwoOaAeEiIkKvNpPtTuYxXBHMZ",
)
_OTHER = "\u0370-\u03ff\u0400-\u052f"
# Tried once a word, whatever its length: hence the looks behind and the greed that gives nothing back.
_MIXED = re.compile(f"(?<![A-Za-z])[A-Za-z]++[{_OTHER}]\\w*|(?<![{_OTHER}])[{_OTHER}]++[A-Za-z]\\w*")


class _Folds(dict[int, str]):
    """What each code point becomes: computed when first met, kept if it is common enough to be met again."""

    def __missing__(self, point: int) -> str:
        folded = _fold(chr(point))
        if point < 0x10000:
            self[point] = folded
        return folded


def _fold(char: str) -> str:
    if TAG_BASE + 0x20 <= ord(char) <= TAG_BASE + 0x7E:
        return chr(ord(char) - TAG_BASE)
    if _DROPPED.match(char):
        return ""
    if char in _SAME:
        return _SAME[char]
    folded = unicodedata.normalize("NFKC", char)
    apart = unicodedata.normalize("NFKD", folded)
    # Latin letters lose their accents, which people leave out; in other scripts the marks are letters.
    if apart[:1].isascii():
        folded = "".join(mark for mark in apart if not unicodedata.combining(mark))
    elif unicodedata.combining(char) and "\u0300" <= char <= "\u036f":
        folded = ""
    return _SAME.get(folded, folded)


_FOLDS = _Folds({point: chr(point) for point in range(128)})


class Reading:
    """`view` is `text` in compatibility form, without accents on Latin letters, without hidden characters, with tag
    characters spelt out and look-alikes replaced in words that mix scripts. ASCII stays as it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.view = text
        else:
            self.view = _MIXED.sub(lambda match: match[0].translate(_LOOK_ALIKES), text.translate(_FOLDS))

    @classmethod
    def plain(cls, text: str) -> "Reading":
        """The text read as it stands."""
        reading = cls("")
        reading.text = reading.view = text
        return reading

    @cached_property
    def lower(self) -> str:
        """The view in small letters, position for position: the one letter that would become two characters, U+0130,
        is not in a view."""
        return self.view.lower()

    @cached_property
    def _ends(self) -> list[int] | None:
        """For each character of the text, where what it became ends in the view; None where nothing moved."""
        if self.text.isascii():
            return None
        return list(accumulate(len(_FOLDS[ord(char)]) for char in self.text))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in `text` the characters `view[start:end]` come from. An empty span stays empty."""
        ends = self._ends
        if ends is None or start >= end:
            return start, end
        return bisect_right(ends, start), bisect_right(ends, end - 1) + 1
