"""What a ranking is worth: the usual measures, over questions."""

from collections.abc import Iterable
from dataclasses import dataclass

DEPTHS = (5, 10, 20)


@dataclass(frozen=True)
class Found:
    """A question's evidence and what was told, best first: the evidence each told fact rests on."""

    wanted: frozenset[str]
    told: list[frozenset[str]]


@dataclass(frozen=True)
class Scores:
    """Means over ``questions``, each 0..1: evidence recall at 5, 10, 20; precision at the same; reciprocal rank."""

    questions: int
    recall: dict[int, float]
    precision: dict[int, float]
    mrr: float


def scores(found: Iterable[Found]) -> Scores:
    """Recall counts evidence, so that two facts of one turn are one hit; precision counts facts that rest on any."""
    rows = list(found)
    return Scores(
        len(rows),
        {depth: _mean(_recall(row, depth) for row in rows) for depth in DEPTHS},
        {depth: _mean(sum(bool(row.wanted & turns) for turns in row.told[:depth]) / depth for row in rows)
         for depth in DEPTHS},
        _mean(_reciprocal(row) for row in rows),
    )  # fmt: skip


def ceiling(wanted: Iterable[frozenset[str]], known: frozenset[str]) -> float:
    """The recall of a perfect ranking: not all evidence was observed."""
    return _mean(len(turns & known) / len(turns) for turns in wanted)


def _recall(row: Found, depth: int) -> float:
    return len(row.wanted & frozenset().union(*row.told[:depth])) / len(row.wanted)


def _reciprocal(row: Found) -> float:
    return next((1 / place for place, turns in enumerate(row.told, 1) if turns & row.wanted), 0.0)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
