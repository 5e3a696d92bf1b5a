"""Health's part about dream runs: places that are left alone for now, and runs that failed lately."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.shaping.dream_words import error_words
from apps.console.shaping.links import scope_url
from apps.core.clock import now
from apps.core.together import together
from apps.dreaming.diff import moment
from apps.dreaming.models import DreamRun
from apps.dreaming.queries import COOL_DOWN, closed_gates
from apps.tenancy.models import Project

FEW = 10
LATELY = timedelta(days=30)


@dataclass(frozen=True)
class Place:
    """A place with what happened there: a closed gate, or a failed run."""

    number: int
    scope: str
    scope_id: str
    scope_href: str
    why: str
    at: datetime | None
    failures: int = 0
    tried_at: datetime | None = None
    href: str = ""


@dataclass(frozen=True)
class DreamTroubles:
    gates: list[Place]
    failed: list[Place]
    more: bool


def dream_troubles(project: Project, actor: Actor) -> DreamTroubles:
    """One statement; at most so many rows of each."""
    place = ("id", "scope", "scope_id", "subject_id")
    failed = DreamRun.objects.filter(project_id=project.id, state="failed", finished_at__gte=now() - LATELY)
    gates, runs = together(
        closed_gates(project.id).values(*place, "failures", "closed_at", "trial_at", "last_error")[: FEW + 1],
        failed.order_by("-id").values(*place, "error_code", "finished_at")[:FEW],
    )
    reads = allowed(actor, "dreams.read")
    return DreamTroubles(
        gates=[
            Place(
                **_where(project.slug, row),
                why=error_words(row["last_error"]),
                at=moment(row["closed_at"]),
                failures=row["failures"],
                tried_at=_tried(row),
            )
            for row in gates[:FEW]
        ],
        failed=[
            Place(
                **_where(project.slug, row),
                why=error_words(row["error_code"]),
                at=moment(row["finished_at"]),
                href=reverse("dream", args=[project.slug, row["id"]]) if reads else "",
            )
            for row in runs
        ],
        more=len(gates) > FEW,
    )


def _where(slug: str, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "number": row["id"],
        "scope": row["scope"],
        "scope_id": row["scope_id"],
        "scope_href": scope_url(slug, row["scope"], row["scope_id"], row["subject_id"]),
    }


def _tried(row: dict[str, Any]) -> datetime | None:
    """When a run may try the place by itself: not before the cool-down."""
    closed = moment(row["closed_at"])
    return closed + COOL_DOWN if closed else None
