"""What the health page lists: traces given up by reason, candidates left out by rule, and what models cost today."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Min, QuerySet, Sum

from apps.console.queries import is_dead, open_traces
from apps.console.shaping.extraction import error_in_words, sentence
from apps.core.clock import now
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.traces.models import Trace

MOST_RULES = 12
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
    """Candidates that one rule left out; ``share`` is that of all left out."""

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
    """Of the last 24 hours, the most frequent first."""
    rows = (
        CandidateDecision.objects.filter(
            project_id=project_id, outcome="dropped", run__finished_at__gte=now() - timedelta(hours=24)
        )
        .values("rule")
        .annotate(n=Count("id"))
        .order_by("-n", "rule")
    )
    counted = [(row["rule"], row["n"]) for row in rows]
    total = sum(count for _, count in counted)
    return [LeftOut(sentence(rule), count, count / total) for rule, count in counted[:MOST_RULES]]


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
