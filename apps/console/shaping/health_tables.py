"""What the health page lists: traces given up by reason, candidates left out by rule, and what models cost today."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Min, QuerySet, Sum

from apps.console.queries import is_dead, open_traces
from apps.console.shaping.extraction import error_in_words, sentence
from apps.core.clock import now
from apps.extraction.models import ExtractionRun
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
    """What one model took today; ``cost`` is null without a price."""

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


def given_up_of(project_id: int) -> list[GivenUp]:
    """Dead traces by reason, the most frequent first."""
    rows = (
        open_traces(project_id)
        .filter(is_dead())
        .values("dead_reason")
        .annotate(n=Count("id"), since=Min("last_arrival_at"), example=Min("trace_id"))
        .order_by("-n", "dead_reason")
    )
    return [
        GivenUp(
            code=row["dead_reason"] or LOST,
            why=error_in_words(row["dead_reason"] or LOST),
            count=row["n"],
            since=row["since"],
            example=row["example"],
        )
        for row in rows
    ]


def left_out_of(project_id: int) -> list[LeftOut]:
    """By each rule in the last 24 hours, the most frequent first. Counted from what runs count: a sentence that the
    rules left out while reading never became a candidate, and has no decision of its own."""
    rows = (
        ExtractionRun.objects.filter(project_id=project_id, finished_at__gte=now() - timedelta(hours=24))
        .exclude(dropped={})
        .values("dropped")
        .annotate(n=Count("id"))
        .order_by()
    )
    counted: Counter[str] = Counter()
    for row in rows:
        for rule, count in row["dropped"].items():
            counted[rule] += count * row["n"]
    for rule in NOT_JUNK:
        del counted[rule]
    total = counted.total()
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [LeftOut(sentence(rule), count, count / total) for rule, count in ordered]


def most_frequent(left_out: list[LeftOut]) -> list[LeftOut]:
    """The first twelve, and one line for the rest, so that the table adds up."""
    rest = left_out[MOST_RULES:]
    if not rest:
        return left_out
    other = LeftOut("Other reasons.", sum(item.count for item in rest), sum(item.share for item in rest))
    return [*left_out[:MOST_RULES], other]


def spent_today(project_id: int) -> list[Spent]:
    """Since midnight UTC, the dearest first."""
    rows = list(
        ExtractionRun.objects.filter(project_id=project_id, finished_at__gte=midnight())
        .exclude(model="")
        .values("model")
        .annotate(n=Count("id"), used=Sum("prompt_tokens"), given=Sum("completion_tokens"), spent=Sum("cost"))
        .order_by("-spent", "model")
    )
    return [Spent(row["model"], row["n"], row["used"], row["given"], row["spent"]) for row in rows]


def midnight() -> datetime:
    """The last one, UTC."""
    return now().replace(hour=0, minute=0, second=0, microsecond=0)
