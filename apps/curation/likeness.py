"""Whether two statements say the same thing.

Meaning and words as numbers can't tell: the default embedder puts "may cancel" and "may not cancel" at 0.97, "is a
nurse" and "is a nurse by profession" at 0.81. So the numbers only propose, and what follows can veto: digits and
number words with their unit, negation, words of time, limit and direction with what they stand before, names, and a
statement that differs from the other in one place. The word lists are English, with the negations of five more
languages; in a language they don't know, fewer pairs are taken for the same.
"""

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from apps.curation.likeness_words import (
    FILLERS,
    NEGATIONS,
    NUMBERS,
    OPPOSITES,
    RELATIONS,
    SYNONYMS,
    TOWARD,
    UNITS,
    VALUES,
)

SAME_MEANING = 0.86
"""From this cosine similarity on, a rewording counts as the same. Chosen on 160 pairs with the default embedder: 1 of
110 different ones passes (who sends to whom), 24 of 50 same ones are found; the others stand beside it as near."""
SAME_MEANING_WITH_VALUES = 0.74
"""The limit where both name the same numbers, names, channels or colours."""
SAME_SLOT = 0.6
"""The limit where they are about one attribute too: then the value decides, and the wording hardly matters."""
SAME_SLOT_WORDS = 0.2
"""Trigram similarity that takes its place where there is no vector."""
LONGEST = 60
"""Content words of a statement that is compared for rewording."""

Degree = Literal["same", "reworded", "changed", "other"]

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*[^\W\d_]*|[^\W_]+(?:'[^\W_]+)*|[$€£¥%]")
_EMAIL = re.compile(r"\be-mail", re.IGNORECASE)
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "es", "ed", "ly", "y", "s", "e")


@dataclass(frozen=True)
class Gist:
    """What is left of a statement to compare. ``must`` has to be equal for two to say the same."""

    bag: tuple[str, ...]
    must: tuple[object, ...]
    names: frozenset[str]
    values: frozenset[str]
    toward: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Likeness:
    """``values``: both name the same numbers, names, channels or colours, and at least one."""

    degree: Degree
    values: bool

    def says_the_same(self, *, similarity: float | None, words: float, same_attribute: bool) -> bool:
        """Whether a person should be asked if these are one. ``similarity`` is the cosine of their vectors, -1..1,
        None where there is none; ``words`` their trigram similarity, 0..1; ``same_attribute`` that both are about
        one attribute of one subject."""
        if self.degree in {"same", "other"}:
            return self.degree == "same"
        if same_attribute and self.values:
            return words >= SAME_SLOT_WORDS if similarity is None else similarity >= SAME_SLOT
        if self.degree == "changed" or same_attribute or similarity is None:
            return False
        return similarity >= (SAME_MEANING_WITH_VALUES if self.values else SAME_MEANING)


def likeness(first: str | Gist, second: str) -> Likeness:
    """How far two statements differ; the first may be read before, to be compared with many.

    ``same``: the same words but for grammar and order. ``reworded``: nothing speaks against it. ``changed``: they
    differ in one place, by words added or replaced. ``other``: numbers, negation, limits or names differ.
    """
    a, b = gist(first) if isinstance(first, str) else first, gist(second)
    values = bool(a.values | b.values)
    if not a.bag or not b.bag:
        return Likeness("other", values)
    if a.must != b.must or not a.names <= _all(b) or not b.names <= _all(a):
        return Likeness("other", values)
    # Two names that change places: who manages whom.
    names = a.names | b.names
    if [word for word in a.bag if word in names] != [word for word in b.bag if word in names]:
        return Likeness("other", values)
    if sorted(a.bag) == sorted(b.bag):
        # The manager reports to the director, the director to the manager.
        turned = a.bag != b.bag and a.toward and b.toward and a.toward != b.toward
        return Likeness("other" if turned else "same", values)
    mine, theirs = _all(a) - _all(b), _all(b) - _all(a)
    if any(_opposite(x, y) for x in mine for y in theirs):
        return Likeness("other", values)
    reworded = mine and theirs and _edits(a.bag, b.bag) > 1
    return Likeness("reworded" if reworded else "changed", values)


def _edits(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    # Matching takes the square of the length, and nothing as long as that is one statement said again.
    if max(len(first), len(second)) > LONGEST:
        return 1
    edits = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return sum(edit[0] != "equal" for edit in edits)


def gist(text: str) -> Gist:
    """A statement as it is compared."""
    text = _EMAIL.sub("email", text.replace("’", "'"))
    bag: list[str] = []
    relations: list[str] = []
    toward: list[str] = []
    found: Counter[tuple[str, str]] = Counter()
    numbers: Counter[tuple[str, str]] = Counter()
    ends: set[tuple[str, str]] = set()
    names: set[str] = set()
    values: set[str] = set()
    tokens = _TOKEN.findall(text)
    for place, token in enumerate(tokens):
        word = token.casefold().removesuffix("'s")
        if word in NEGATIONS or word.endswith("n't"):
            relations.append("not")
            continue
        if word in RELATIONS:
            relations.append(RELATIONS[word])
            continue
        if word in TOWARD:
            toward.append(word)
        word = NUMBERS.get(word, word)
        is_name = token[0].isupper() and (place > 0 or (len(token) > 1 and token.isupper()))
        if word in FILLERS and not (is_name and len(word) > 3):
            continue
        if word[0].isdigit():
            word = word.replace(",", "")
            unit = _stem(tokens[place + 1].casefold()) if place + 1 < len(tokens) else ""
            numbers[word, unit if unit in _STEMMED_UNITS else ""] += 1
            values.add(word)
        else:
            word = _stem(SYNONYMS.get(word, word))
            if is_name:
                names.add(word)
            if is_name or word in _STEMMED_VALUES:
                values.add(word)
        for relation in relations:
            found[relation, word] += 1
        ends |= {(one, word) for one in toward}
        relations, toward = [], []
        bag.append(word)
    for relation in relations:
        found[relation, ""] += 1
    must = (found, numbers, frozenset(bag) & _STEMMED_VALUES)
    return Gist(tuple(bag), must, frozenset(names), frozenset(values), frozenset(ends))


def _all(gist: Gist) -> frozenset[str]:
    return frozenset(gist.bag)


def _stem(word: str) -> str:
    """Cut so that forms of one English word mostly meet; too much is cut rather than too little."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _opposite(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return frozenset((one, other)) in OPPOSITES or long in {f"{prefix}{short}" for prefix in ("dis", "un", "in", "non")}


_STEMMED_UNITS = frozenset(map(_stem, UNITS))
_STEMMED_VALUES = frozenset(map(_stem, VALUES))
