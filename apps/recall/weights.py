"""How a project ranks facts for a question, as one value, and the choices to start from."""

from dataclasses import dataclass, replace

from apps.recall.models import WEIGHTS


@dataclass(frozen=True, kw_only=True)
class Weights:
    """``parts`` has a weight, 0..1, for each name of WEIGHTS; ``half_life_days`` is how old what was said must be for
    its recency to be half; ``language`` is one of LANGUAGES."""

    parts: dict[str, float]
    half_life_days: float
    language: str


def only(weights: Weights, **parts: float) -> Weights:
    """Nothing but these parts counts."""
    return replace(weights, parts=dict.fromkeys(WEIGHTS, 0.0) | parts)


def words_only(weights: Weights) -> Weights:
    return only(weights, keyword=1.0)


def seed_formula(weights: Weights, *, recency: float, importance: float) -> Weights:
    """``(1 - r - i) similarity + r recency + i importance``. The caller has checked that r and i leave at least 0."""
    return only(
        weights,
        # 1 - 0.7 - 0.3 is a little below nought.
        similarity=max(round(1 - recency - importance, 12), 0.0),
        recency=recency,
        importance=importance,
    )
