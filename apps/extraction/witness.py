"""No witness, no fact: the words a candidate rests on must stand in the message it names.

A model copies imperfectly: curly quotes become straight, line breaks become spaces, accents are composed. That much is
forgiven; every position is that of the message as it was sent.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set

from apps.core.text import normalise

MAX_QUOTE = 1_000
_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4\u2032`", "'"),
    **dict.fromkeys('\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"', "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
}
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe0e\ufe0f]")
_LONGEST_CLUSTER = 32  # composing sorts marks in a time that grows with the square of their number

_WORD = re.compile(r"[^\W\d_][\w'’.-]*|\d[\d.,:/]*")
_NUMBERS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fourteen": "14", "fifteen": "15",
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100",
}  # fmt: skip
_CALENDAR = frozenset(
    [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
)  # fmt: skip
# A statement's first word has a capital whatever it is.
_OPENERS = frozenset(
    [
        "a", "an", "the", "this", "that", "these", "those", "no", "not", "never", "always", "only", "both", "all",
        "any", "each", "every", "his", "her", "their", "its", "our", "my", "your", "he", "she", "it", "they", "we",
        "i", "you", "there", "user", "users", "customer", "client", "speaker", "person", "somebody", "someone",
        "agent", "team", "assistant", "company", "says", "said", "if", "when", "on", "in", "at", "for", "from", "to",
        "since", "until",
    ]
)  # fmt: skip
_VERBS = frozenset(
    [
        "is", "has", "was", "does", "likes", "lives", "works", "prefers", "needs", "wants", "owns", "said", "says",
    ]
)  # fmt: skip


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``, as ``(start, end)`` in code points, or null. White space, the form of quote
    marks, dashes and accents, and characters nobody sees may differ; a word may not be cut."""
    quote = quote[: MAX_QUOTE * 2]
    wanted = "".join(piece for piece, _, _ in _pieces(quote)).strip(" ")
    if not wanted or len(wanted) > MAX_QUOTE:
        return None
    plain: list[str] = []
    spans: list[tuple[int, int]] = []
    for piece, start, end in _pieces(text):
        for char in piece:
            plain.append(char)
            spans.append((start, end))
    whole = "".join(plain)
    place = whole.find(wanted)
    while place >= 0:
        last = place + len(wanted)
        if not (_cuts(whole, place) or _cuts(whole, last)):
            return spans[place][0], spans[last - 1][1]
        place = whole.find(wanted, place + 1)
    return None


def strangers(statement: str, known: Set[str], dates: Iterable[str] = ()) -> list[str]:
    """Names and numbers of ``statement`` that are none of the ``known`` words (`words_of`): a model invented them.

    ``dates`` are the parts of dates that were worked out from what was said.
    """
    stems = {word[:5] for word in known if len(word) >= 5}
    allowed = set(dates)
    found = []
    for number, match in enumerate(_WORD.finditer(statement)):
        word = match[0].strip(".'’,:/-")
        plain = _plain(word)
        if not plain or plain in known or plain in allowed:
            continue
        if word[0].isdigit():
            found.append(word)
        elif word[0].isupper() and plain not in _CALENDAR:
            if number == 0 and not _is_name(word, statement[match.end() :]):
                continue
            if plain[:5] not in stems or len(plain) < 5:
                found.append(word)
    return found


def _is_name(first: str, rest: str) -> bool:
    """Whether an unknown first word names somebody: "Max prefers", "Anna's dog", not "Prefers" or "Lives in"."""
    plain = _plain(first)
    if plain in _OPENERS:
        return False
    if plain != normalise(first):
        return True
    following = re.match(r"\s+([a-z']+)", rest)
    if following is None:
        return False
    verb = following[1]
    if verb in _VERBS:
        return True
    return verb.endswith("s") and len(verb) > 3 and not plain.endswith(("s", "ed", "ing", "ly"))


def words_of(sources: Iterable[str]) -> set[str]:
    """The words of texts in the form in which they are compared, and the parts of compounds."""
    known: set[str] = set()
    for source in sources:
        for match in _WORD.finditer(source):
            plain = _plain(match[0].strip(".'’,:/-"))
            known.add(plain)
            known.add(plain.removesuffix("'s"))
            known.update(part for part in re.split(r"[-/.:,'’]", plain) if part)
            if plain in _NUMBERS:
                known.add(_NUMBERS[plain])
    return known


def _plain(word: str) -> str:
    return normalise(word).replace("’", "'").removesuffix("'s")


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """What each part of the text compares as, with where it stands; runs of white space are one space."""
    position, blank = 0, False
    for cluster in _clusters(text):
        start, position = position, position + len(cluster)
        if cluster.isspace() or cluster == "\u2800":
            if not blank:
                yield " ", start, position
            blank = True
            continue
        if _HIDDEN.fullmatch(cluster):
            continue
        blank = False
        composed = cluster if cluster.isascii() else unicodedata.normalize("NFC", _HIDDEN.sub("", cluster))
        yield "".join(_SAME.get(char, char) for char in composed), start, position


def _clusters(text: str) -> Iterator[str]:
    """The text in parts that compose within themselves: a letter with its marks, a Hangul syllable's letters."""
    if text.isascii():
        yield from text
        return
    part = ""
    for char in text:
        if part and not _joins(part, char):
            yield part
            part = ""
        part += char
    if part:
        yield part


def _joins(part: str, char: str) -> bool:
    if len(part) >= _LONGEST_CLUSTER or char.isascii():
        return False
    return bool(unicodedata.combining(char)) or 0x1160 <= ord(char) <= 0x11FF


def _cuts(text: str, place: int) -> bool:
    """Whether a cut at ``place`` goes through a word. Scripts without spaces have no such place to mind."""
    if not 0 < place < len(text):
        return False
    return all(char.isdigit() or char.islower() or char.isupper() for char in (text[place - 1], text[place]))
