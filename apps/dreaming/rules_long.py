"""What a fact says twice: the same sentences again, right after themselves. Anything else that makes a statement long takes
judgement, and is left to a model or a person."""

import re
from collections.abc import Iterator

from apps.core.text import normalise
from apps.dreaming.operations import MOST, Operation
from apps.dreaming.scene import Scene

LEAST = 12
"""Letters that what is left out has at least."""
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|[。！？]+|$)\s*", re.DOTALL)
# What may end in a full stop without ending a sentence.
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z][a-z]{0,3}|\b(?:e\.g|i\.e|etc|vs|approx|no|nr|ca|bzw|z\.\s?b|al))\.\s*\Z", re.ASCII
)


def repeated(scene: Scene, used: set[int]) -> Iterator[Operation]:
    """Facts that say some of their sentences twice, without the second time."""
    for fact_id, content in scene.ask("repeating", least=LEAST, most=2 * MOST):
        shorter = said_once(content)
        if fact_id in used or shorter == content:
            continue
        yield Operation(
            op="shorten",
            targets=(fact_id,),
            content=shorter,
            rule="said-twice",
            reason="It says the same sentences twice.",
            evidence=(("fact", fact_id),),
        )


def said_once(content: str) -> str:
    """The text without sentences that follow themselves, one or several together."""
    parts = _SENTENCE.findall(content)
    while (found := _twin(parts)) is not None:
        at, length = found
        del parts[at : at + length]
    return "".join(parts).strip()


def _twin(parts: list[str]) -> tuple[int, int] | None:
    """Where a run of sentences begins that says what the one before it said, and how many these are; the longest first."""
    plain = [normalise(part).rstrip(".!?。！？ ") for part in parts]
    for length in range(len(parts) // 2, 0, -1):
        for at in range(length, len(parts) - length + 1):
            same = plain[at - length : at] == plain[at : at + length]
            if (
                same
                and len("".join(plain[at : at + length])) >= LEAST
                and not _ABBREVIATED.search(parts[at + length - 1])
            ):
                return at, length
    return None
