"""Whether new words rest on old ones: no name, number or value that no source has, and none of theirs lost."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from apps.core.text import normalise
from apps.curation.likeness import gist
from apps.curation.likeness_words import FILLERS, NEGATIONS, NUMBERS, RELATIONS, SYNONYMS

_WORD = re.compile(r"[^\W_]+(?:['’.@:/-][^\W_]+)*")
_KNOWN = FILLERS | NEGATIONS | frozenset(RELATIONS) | frozenset(NUMBERS) | frozenset(SYNONYMS)
_NEUTRAL = frozenset(
    ["user", "customer", "client", "person", "people", "team", "company", "agent", "both", "when", "while"]
)
MOSTLY = 0.5
"""Share of its words that a statement may have of its own."""


def invents(content: str, sources: Iterable[str]) -> bool:
    """Whether ``content`` names somebody, a place, a number or an address that no source names.

    A capital makes a name wherever it stands, also at the beginning, unless the sources have the word or it is a common
    one. Of scripts without capitals two neighbouring pairs of characters that no source has count as a name.
    """
    texts = [unicodedata.normalize("NFKC", text) for text in sources]
    said = unicodedata.normalize("NFKC", content)
    theirs = _words(texts)
    stems = {stem for text in texts for stem in gist(text).bag}
    own = gist(said)
    if own.values - _KNOWN - {stem for text in texts for stem in gist(text).values} - stems:
        return True
    fresh = 0
    tokens = [token for token in _WORD.findall(said) if not any(unicodedata.category(mark) == "Lo" for mark in token)]
    for token in tokens:
        word = normalise(token).removesuffix("'s")
        known = word in theirs or word in _KNOWN or word in _NEUTRAL or set(gist(token.casefold()).bag) <= stems
        if known:
            continue
        if any(mark.isdigit() for mark in token) or any(mark in token for mark in "@/:") or token[0].isupper():
            return True
        fresh += 1
    if tokens and fresh > MOSTLY * len(tokens):
        return True
    return _caseless(said, " ".join(texts))


def loses(content: str, sources: Iterable[str]) -> bool:
    """Whether a name, number or value of a source is missing from ``content``."""
    has = gist(content)
    return any((gist(text).values | gist(text).names) - has.values - set(has.bag) for text in sources)


def _words(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        for token in _WORD.findall(text):
            word = normalise(token)
            found |= {word, word.removesuffix("'s"), *re.split(r"['’.@:/-]", word)}
    return found


def _caseless(content: str, sources: str) -> bool:
    pairs = {sources[at : at + 2] for at in range(len(sources) - 1)}
    missing = 0
    for first, second in pairwise(content):
        if unicodedata.category(first) == "Lo" and unicodedata.category(second) == "Lo":
            missing = missing + 1 if first + second not in pairs else 0
            if missing > 1:
                return True
        else:
            missing = 0
    return False
