"""A score in its parts: what each adds, and how long its piece of the bar is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apps.recall.models import WEIGHTS

KINDS = {
    "similarity": "meaning",
    "keyword": "words",
    "named": "words",
    "dated": "words",
    "context": "words",
    "recency": "recency",
    "importance": "standing",
    "confidence": "standing",
    "confirmation": "standing",
    "authority": "standing",
}
"""Which of four colours a part has."""
LEAST = 0.005
"""What adds less is 0.00 with two digits."""


@dataclass(frozen=True)
class Part:
    """What one part adds: ``value`` times ``weight`` is ``adds``. ``value`` is null where there was nothing to compare;
    ``start`` and ``width`` are its piece of the bar, in percent."""

    name: str
    kind: str
    value: float | None
    weight: float
    adds: float
    start: float
    width: float

    @property
    def sum(self) -> str:
        """ "0.86 × 0.50", as the tooltip says it."""
        return f"{self.name}: " + ("no vector yet" if self.value is None else f"{self.value:.4g} × {self.weight:g}")


@dataclass(frozen=True)
class Score:
    """``total`` is null where nothing was asked; then importance alone orders."""

    total: float | None
    parts: list[Part]

    @property
    def telling(self) -> list[Part]:
        """The parts that add something."""
        return [part for part in self.parts if part.adds >= LEAST]

    def in_columns(self, names: list[str]) -> "list[Part | None]":
        return [part for part in self.parts if part.name in names]


def score_of(found: dict[str, Any], weights: dict[str, Any], *, best: float, flat: bool) -> Score | None:
    """The score of a candidate or of a fact left out; ``best`` fills the bar. None where nothing was compared."""
    values, total = found["parts"], found["score"]
    if values is None:
        return None
    parts, start = [], 0.0
    for name in ["importance"] if flat else WEIGHTS:
        value, weight = values[name], 1.0 if flat else weights[name]
        adds = weight * max(value or 0, 0)
        width = 100 * adds / (1.0 if flat else best) if flat or best else 0.0
        parts.append(Part(name, KINDS[name], value, weight, adds, round(start, 2), round(width, 2)))
        start += width
    return Score(total, parts)


def columns_of(scores: Iterable[Score | None]) -> list[str]:
    """The parts that add something to any of these, in their order."""
    telling = {part.name for score in scores if score for part in score.telling}
    return [name for name in WEIGHTS if name in telling]
