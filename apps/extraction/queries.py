"""Reading what a project chose, what was decided about candidates, and how extraction is going."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, F, Min, Q, Sum

from apps.core.clock import now
from apps.extraction.models import CandidateDecision, ExtractionRun, ExtractionSettings
from apps.traces.models import Trace

MAX_ATTEMPTS = 5
"""After so many a trace is dead until a person sends it round; the claim counts them too."""


def settings_of(project_id: int) -> ExtractionSettings:
    """What the project chose, or an unsaved row of the defaults."""
    return ExtractionSettings.objects.filter(project_id=project_id).first() or ExtractionSettings(project_id=project_id)


def decisions_of(project_id: int, trace_id: str) -> list[CandidateDecision]:
    """What became of each candidate of a trace, newest run first and in order, with message, run and proposal: its words
    are ``message.content[start:end]``, its reason is ``policy.explain(rule)``."""
    return list(
        CandidateDecision.objects.filter(project_id=project_id, run__trace_id=trace_id)
        .select_related("message", "run", "proposal")
        .order_by("-run_id", "id")
    )


@dataclass(frozen=True)
class Health:
    """How extraction is going in one project.

    ``waiting`` traces are due or will be, ``oldest_seconds`` is how long the oldest of them has waited (null: none).
    ``failing`` failed and are tried again, ``dead`` wait for a person. The others are of the last 24 hours but
    ``cost_today``, which is since midnight UTC and null when no run had a price; ``errors`` counts failed runs by code.
    ``junk_rate`` is the share of candidates that were dropped, null without candidates.
    """

    waiting: int
    oldest_seconds: float | None
    in_work: int
    failing: int
    dead: int
    runs: int
    failed_runs: int
    errors: dict[str, int]
    candidates: int
    dropped: int
    junk_rate: float | None
    proposed: int
    tokens: int
    cost_today: Decimal | None


def health(project_id: int) -> Health:
    """The figures of the health page, in three statements."""
    at = now()
    open_traces = Trace.objects.filter(project_id=project_id, extracted_at=None)
    alive = Q(dead_reason="", attempts__lt=MAX_ATTEMPTS) | Q(dead_reason="", lease_until__gt=at)
    queue = open_traces.aggregate(
        waiting=Count("id", filter=alive),
        oldest=Min("last_arrival_at", filter=alive),
        in_work=Count("id", filter=Q(lease_until__gt=at)),
        failing=Count("id", filter=alive & Q(not_before__isnull=False)),
        dead=Count("id", filter=~alive),
    )
    day, midnight = at - timedelta(hours=24), at.replace(hour=0, minute=0, second=0, microsecond=0)
    runs = ExtractionRun.objects.filter(project_id=project_id, finished_at__gte=min(day, midnight))
    errors: Counter[str] = Counter()
    count = proposed = tokens = 0
    cost: Decimal | None = None
    rows = (
        runs.values("outcome", "error_code")
        .annotate(
            n=Count("id", filter=Q(finished_at__gte=day)),
            proposals=Sum("proposed", filter=Q(finished_at__gte=day)),
            used=Sum(F("prompt_tokens") + F("completion_tokens"), filter=Q(finished_at__gte=day)),
            spent=Sum("cost", filter=Q(finished_at__gte=midnight)),
        )
        .order_by()
    )
    for row in rows:
        count += row["n"]
        proposed += row["proposals"] or 0
        tokens += row["used"] or 0
        if row["spent"] is not None:
            cost = (cost or Decimal(0)) + row["spent"]
        if row["outcome"] == "failed" and row["n"]:
            errors[row["error_code"]] += row["n"]
    decided = dict(
        CandidateDecision.objects.filter(project_id=project_id, run__finished_at__gte=day)
        .values_list("outcome")
        .annotate(n=Count("id"))
        .order_by()
    )
    candidates, dropped = sum(decided.values()), decided.get("dropped", 0)
    return Health(
        waiting=queue["waiting"],
        oldest_seconds=_age(queue["oldest"], at),
        in_work=queue["in_work"],
        failing=queue["failing"],
        dead=queue["dead"],
        runs=count,
        failed_runs=errors.total(),
        errors=dict(errors.most_common()),
        candidates=candidates,
        dropped=dropped,
        junk_rate=dropped / candidates if candidates else None,
        proposed=proposed,
        tokens=tokens,
        cost_today=cost,
    )


def _age(since: datetime | None, at: datetime) -> float | None:
    return None if since is None else max(0.0, (at - since).total_seconds())
