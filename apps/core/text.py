"""What text may be stored, shown and compared.

Three strengths: `storable` changes only what Postgres can't hold, `one_line` also removes what a reader
can't see, and `normalise` gives the form in which two texts are the same.
"""

import hashlib
import math
import re
import unicodedata
from decimal import Decimal
from typing import Any, Literal

MAX_CONTENT = 2000
"""The greatest length of a fact's content, in code points."""

# All classes are written as escapes, since these characters are invisible in a source file, and as fixed
# lists, so that a newer Unicode table in another Python changes no hash.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_CONTROL = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_HIDDEN = (
    f"{_CONTROL}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Braille blank has no ink, though Unicode does not call it a space.
_SPACE = r"\s\u2800"
# Format characters with a shape of their own (Arabic number signs and the like, hieroglyph joiners): shown,
# not compared.
_SHOWN_FORMAT = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f"

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_MONGOLIAN = "\u1820-\u1878\u1880-\u18aa"
# Scripts in which a joiner changes how a word is written: Arabic and its neighbours, the Indic ones,
# Myanmar, Khmer, Mongolian, and the newer blocks of the same families.
_JOINING = (
    f"\u0620-\u06dc\u06de-\u08e1\u08e3-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3{_MONGOLIAN}\ua840-\ua8ff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010a5f\U00011000-\U00011aff\U0001e900-\U0001e95f"
)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u103a\u17d2"

_KEEP_OR_HIDE = re.compile(
    "("
    # The flags of England, Scotland and Wales are the only tag sequences in use; free tags can carry hidden
    # text.
    "\U0001f3f4\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
    f"|(?<=[{_EMOJI}])\ufe0f?\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f]"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_VIRAMA}])[\u200c\u200d]"
    f"|(?<=[{_MONGOLIAN}])[\u180b-\u180f]"
    f")|[{_HIDDEN}]"
)
# Whatever ends up as a combining mark in some normal form, spacing forms of kana marks included.
_MARK = "".join(
    mark for mark in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(unicodedata.normalize("NFKD", mark)[:1])
)
_MARKS = re.compile(f"[{_MARK}]+")
_TOO_MANY_MARKS = re.compile(f"([{_MARK}]{{30}})[{_MARK}]+")
_ALL_HIDDEN = re.compile(f"[{_HIDDEN}]+")
_SPACES = re.compile(f"[{_SPACE}]+")
_BLANKS = re.compile(f"[{_SPACE}{_HIDDEN}{_SHOWN_FORMAT}]+")

_HUGE = 10**300


def normalise(text: str) -> str:
    """The form in which texts are compared: NFKC, casefolded, each run of white space, zero-width, control
    and format characters one space, trimmed. Empty if there is nothing to see in `text`."""
    folded = _normal_form("NFKC", _UNSTORABLE.sub(_replacement, text)).casefold()
    return _BLANKS.sub(" ", folded).strip(" ")


def as_seen(text: str) -> str:
    """NFKC, without controls, zero-width and tag characters: what a reader can't tell from `text`, but for letters of
    another script. White space and case stay."""
    return _ALL_HIDDEN.sub("", _normal_form("NFKC", text))


def norm_hash(text: str) -> bytes:
    """16 bytes of BLAKE2b over the UTF-8 of `normalise(text)`: equal for texts that say the same in the
    same words."""
    return hashlib.blake2b(normalise(text).encode(), digest_size=16).digest()


def one_line(text: str) -> str:
    """What may be stored as the content of a fact: NFC, one line, trimmed, nothing hidden in it.

    U+0000 and lone surrogates become U+FFFD. Controls, bidi overrides, zero-width and tag characters and
    stray variation selectors are removed; joiners stay inside emoji and in scripts that are written with
    them. Calling it twice changes nothing more.
    """
    line = _normal_form("NFC", _UNSTORABLE.sub("\ufffd", text))
    # Composing may move the neighbours of a joiner that was kept, so it is looked at again; only a text
    # made for the purpose takes more than two rounds, and that one loses all its joiners.
    for _ in range(3):
        before, line = line, _normal_form("NFC", _KEEP_OR_HIDE.sub(lambda match: match[1] or "", line))
        if line == before:
            break
    else:
        line = _normal_form("NFC", _ALL_HIDDEN.sub("", line))
    return _SPACES.sub(" ", line).strip(" ")


def storable(text: str) -> tuple[str, int]:
    """`text` with each U+0000 and lone surrogate, which Postgres can't hold, replaced by U+FFFD, and how
    many were."""
    if text.isascii() and "\x00" not in text:
        return text, 0
    return _UNSTORABLE.subn("\ufffd", text)


def storable_json(value: Any) -> tuple[Any, int]:
    """A copy of parsed JSON that jsonb can hold, and how many replacements that took.

    Keys and strings as in `storable`; NaN and infinities become the strings "NaN", "Infinity" and
    "-Infinity", integers of more than 300 digits strings. If two keys become equal the later one stays. The
    depth is not limited here, and the walk does not use Python's stack.
    """
    total = 0
    waiting: list[tuple[Any, Any]] = []

    def copy(item: Any) -> Any:
        nonlocal total
        if isinstance(item, str):
            item, count = storable(item)
            total += count
        elif isinstance(item, dict | list):
            target: Any = {} if isinstance(item, dict) else []
            waiting.append((item, target))
            return target
        elif isinstance(item, float) and not math.isfinite(item):
            total += 1
            return "NaN" if math.isnan(item) else "Infinity" if item > 0 else "-Infinity"
        elif isinstance(item, int) and not -_HUGE < item < _HUGE:
            total += 1
            # Python refuses to print integers of more than 4,300 digits; Decimal does not.
            return str(Decimal(item))
        return item

    result = copy(value)
    while waiting:
        source, target = waiting.pop()
        if isinstance(source, dict):
            for key, item in source.items():
                target[copy(key)] = copy(item)
        else:
            target.extend(copy(item) for item in source)
    return result, total


def code_points(text: str) -> int:
    """The length of `text` in code points, the unit of every limit."""
    return len(text)


def longest_mark_run(text: str) -> int:
    """The length of the longest run of combining marks; 8 is beyond any language, and stacks of them hide a
    line."""
    return max(map(len, _MARKS.findall(text)), default=0)


def _normal_form(form: Literal["NFC", "NFKC"], text: str) -> str:
    # Normalising sorts each run of marks in a time that grows with its square: minutes for a megabyte of
    # them. No writing has runs of more than 30 (the limit of Unicode's stream-safe text), so that longer
    # ones are cut.
    return text if text.isascii() else unicodedata.normalize(form, _TOO_MANY_MARKS.sub(r"\1", text))


def _replacement(match: re.Match[str]) -> str:
    # U+0000 is a control character, so it compares as a space; a lone surrogate as what is stored in its
    # place.
    return " " if match[0] == "\x00" else "\ufffd"
