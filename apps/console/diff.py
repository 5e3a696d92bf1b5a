"""What changed between two texts, word by word, in bounded time."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_PAIRS = 5_000
"""Equal pairs of words beyond which texts are compared as wholes. A text of one word 1,000 times over has a million,
and difflib takes half a minute for it; two texts of 2,000 characters in any language stay far below."""


def changes(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Pieces from ``old`` to ``new`` in order: ("span", same), ("del", only in old), ("ins", only in new)."""
    before, after = WORDS.findall(old), WORDS.findall(new)
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    tail = 0
    while tail < min(len(before), len(after)) - same and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if same:
        yield "span", "".join(before[:same])
    yield from _middle(before[same : len(before) - tail], after[same : len(after) - tail])
    if tail:
        yield "span", "".join(before[len(before) - tail :])


def _middle(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    counts = Counter(word for word in before if not word.isspace())
    if sum(counts[word] for word in after if not word.isspace()) > MOST_PAIRS:
        operations = [("replace", 0, len(before), 0, len(after))]
    else:
        # White space joins what matches beside it, but is no match of its own.
        matcher = SequenceMatcher(str.isspace, before, after, autojunk=False)
        operations = list(matcher.get_opcodes())
    for operation, i1, i2, j1, j2 in operations:
        if operation == "equal":
            yield "span", "".join(before[i1:i2])
            continue
        if i2 > i1:
            yield "del", "".join(before[i1:i2])
        if j2 > j1:
            yield "ins", "".join(after[j1:j2])
