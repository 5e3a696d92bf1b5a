"""What the health page lists: traces given up by reason, candidates left out by rule, and what models cost today."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from apps.console.queries import is_dead, open_traces
from apps.console.shaping.extraction import error_in_words, sentence
from apps.core.clock import now
from apps.traces.models import Trace

MOST_RULES = 12
NOT_JUNK = ("known", "waiting")
"""Runs count what was known already beside what they left out."""
LOST = "workers lost"
"""The reason of a trace that no worker brought to an end, and none wrote why."""


@dataclass(frozen=True)
class GivenUp:
    """Traces that wait for a person, by reason. ``code`` is what a retry posts."""

    code: str
    why: str
    count: int
    since: datetime
    example: str


@dataclass(frozen=True)
class LeftOut:
    """Sentences and candidates that one rule left out; ``share`` is that of all left out."""

    why: str
    count: int
    share: float


@dataclass(frozen=True)
class Spent:
    """What one model took since midnight UTC; ``cost`` is null without a price."""

    model: str
    runs: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None


def dead_for(project_id: int, code: str) -> "QuerySet[Trace]":
    """Those of one reason, oldest arrival first."""
    return (
        open_traces(project_id)
        .filter(is_dead(), dead_reason="" if code == LOST else code)
        .order_by("last_arrival_at", "id")
    )


def given_up_of(rows: list[list[Any]]) -> list[GivenUp]:
    """Of `console.health.Health.given_up`, in its order."""
    return [
        GivenUp(code=reason or LOST, why=error_in_words(reason or LOST), count=count, since=since, example=example)
        for reason, count, since, example in rows
    ]


def left_out_of(dropped: dict[str, int]) -> list[LeftOut]:
    """By each rule, the most frequent first. From what runs count: a sentence that the rules left out while reading
    never became a candidate, and has no decision of its own."""
    counted = {rule: count for rule, count in dropped.items() if rule not in NOT_JUNK}
    total = sum(counted.values())
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [LeftOut(sentence(rule), count, count / total) for rule, count in ordered]


def most_frequent(left_out: list[LeftOut]) -> list[LeftOut]:
    """The first twelve, and one line for the rest, so that the table adds up."""
    rest = left_out[MOST_RULES:]
    if not rest:
        return left_out
    other = LeftOut("Other reasons.", sum(item.count for item in rest), sum(item.share for item in rest))
    return [*left_out[:MOST_RULES], other]


def spent_of(rows: list[list[Any]]) -> list[Spent]:
    """Of `console.health.Counted.spent`, the dearest first."""
    found = [Spent(model, runs, given, got, cost and Decimal(cost)) for model, runs, given, got, cost in rows]
    return sorted(found, key=lambda one: (-(one.cost or 0), one.model))


def midnight() -> datetime:
    """The last one, UTC."""
    return now().replace(hour=0, minute=0, second=0, microsecond=0)
