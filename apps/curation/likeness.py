"""Whether two statements say the same thing.

Meaning and words as numbers can't tell: the default embedder puts "may cancel" and "may not cancel" at 0.97, "is a
nurse" and "is a nurse by profession" at 0.81. So the numbers only propose, and what follows can veto: digits and
number words with their unit, codes and addresses, negation, words of time, limit and direction with what they stand
before, names as they are spelled, and a statement that differs from the other in one place. The word lists are English, with the negations of five more
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

_TOKEN = re.compile(
    # an address or a path; a number, a date or a phone number in one; a word or a code; a sign that is a value
    r"[^\s@]*\w@\w[^\s@]*\w|\w+://\S*[\w/]|[^\W\d_]\w*(?:\.\w+)+"
    r"|(?:(?<!\w)[-−])?\d+(?:[.,:/-]\d+)*[^\W\d_]*|[^\W_]+(?:'[^\W_]+)*|[$€£¥₹₽₩¢%<>≤≥±]"
)
_THOUSANDS = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+")
_EMAIL = re.compile(r"\be-mail", re.IGNORECASE)
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "es", "ed", "ly", "y", "s", "e")


@dataclass(frozen=True)
class Gist:
    """What is left of a statement to compare. ``must`` has to be equal for two to say the same. ``spelled`` are its
    words uncut, ``bases`` those that are no inflected form, each with its stem; ``head`` is its first word, empty where
    that is a filler."""

    bag: tuple[str, ...]
    must: tuple[object, ...]
    names: frozenset[str]
    full_names: frozenset[str]
    spelled: frozenset[str]
    bases: frozenset[tuple[str, str]]
    values: frozenset[str]
    toward: frozenset[tuple[str, str]]
    head: str


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
    if not a.full_names <= b.spelled or not b.full_names <= a.spelled or _other_words(a.bases, b.bases):
        return Likeness("other", values)
    # Two names or numbers that change places: who manages whom, from which to which.
    fixed = a.names | b.names | a.values | b.values
    if [word for word in a.bag if word in fixed] != [word for word in b.bag if word in fixed]:
        return Likeness("other", values)
    # A sentence's first word has a capital anyhow, so it may be a name.
    if a.head and b.head and a.head != b.head and a.bag[1:] == b.bag[1:]:
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
    head = ""
    relations: list[str] = []
    toward: list[str] = []
    found: Counter[tuple[str, str]] = Counter()
    numbers: Counter[tuple[str, str]] = Counter()
    ends: set[tuple[str, str]] = set()
    names: set[str] = set()
    full_names: set[str] = set()
    spelled: set[str] = set()
    bases: set[tuple[str, str]] = set()
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
        if word in FILLERS and not (is_name and (len(word) > 3 or token.isupper() or token in _CAPITAL_MATTERS)):
            continue
        if word.lstrip("-−")[0].isdigit():
            # 1,5 is no 15.
            word = word.replace(",", "") if _THOUSANDS.fullmatch(word) else word
            numbers[word, _unit(tokens[place + 1]) if place + 1 < len(tokens) else ""] += 1
            values.add(word)
        elif _CODE.search(word):
            numbers[word, ""] += 1
            values.add(word)
        else:
            full = SYNONYMS.get(word, word)
            word = _stem(full)
            spelled.add(full)
            if full.removeprefix(word) in _BASE_ENDINGS:
                bases.add((word, full))
            if is_name:
                names.add(word)
                full_names.add(full)
            if is_name or word in _STEMMED_VALUES:
                values.add(word)
        for relation in relations:
            found[relation, word] += 1
        ends |= {(one, word) for one in toward}
        relations, toward = [], []
        if place == 0:
            head = word
        bag.append(word)
    for relation in relations:
        found[relation, ""] += 1
    return Gist(
        bag=tuple(bag),
        must=(found, numbers, frozenset(bag) & _STEMMED_VALUES),
        names=frozenset(names),
        full_names=frozenset(full_names),
        spelled=frozenset(spelled),
        bases=frozenset(bases),
        values=frozenset(values),
        toward=frozenset(ends),
        head=head,
    )


def _all(gist: Gist) -> frozenset[str]:
    return frozenset(gist.bag)


def _stem(word: str) -> str:
    """Cut so that forms of one English word mostly meet; too much is cut rather than too little."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _other_words(first: frozenset[tuple[str, str]], second: frozenset[tuple[str, str]]) -> bool:
    """Whether two words that are no forms of each other were cut to one stem: car and care, police and policy."""
    mine: dict[str, set[str]] = {}
    theirs: dict[str, set[str]] = {}
    for words, bases in ((mine, first), (theirs, second)):
        for stem, full in bases:
            words.setdefault(stem, set()).add(full)
    return any(mine[stem] != theirs[stem] for stem in mine.keys() & theirs.keys())


def _unit(token: str) -> str:
    """The unit that follows a number, if it is one: a known word, or something as short as mg."""
    word = token.casefold()
    if _stem(word) in _STEMMED_UNITS:
        return _stem(word)
    return word if len(word) <= 3 and word.isalpha() and word not in _NO_UNITS else ""


def _opposite(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return frozenset((one, other)) in OPPOSITES or long in {f"{prefix}{short}" for prefix in ("dis", "un", "in", "non")}


_CODE = re.compile(r"\d|[@./]")
_BASE_ENDINGS = frozenset(["", "e", "y"]) | frozenset("abcdfghijklmnopqrtuvwxz")
"""What may be cut from a word that is not inflected; a single letter is a doubled one, but s, which is a plural's."""
_CAPITAL_MATTERS = frozenset(["May"])
_NO_UNITS = FILLERS | NEGATIONS | frozenset(RELATIONS) | frozenset(NUMBERS)
_STEMMED_UNITS = frozenset(map(_stem, UNITS))
_STEMMED_VALUES = frozenset(map(_stem, VALUES))
