"""What the page Health reads of a project: how extraction goes now, and what workers counted a moment ago."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from apps.core.clock import now
from apps.core.counting import MOST
from apps.core.sqlfiles import load
from apps.extraction.models import ExtractionSettings
from apps.extraction.queries import MAX_ATTEMPTS

RUNS = 500
"""Of the last 24 hours so many runs are looked at, the newest."""
GONE = 60
"""Seconds without a sign after which a worker counts as gone: it gives one every fifteen."""


@dataclass(frozen=True)
class Queue:
    """Traces that are not mined yet, of the oldest MOST and one more (``more``: there may be others of each kind).
    ``waiting`` are free to be taken up, ``held`` by a worker now, ``failing`` are tried again later, ``dead`` wait for a
    person; ``oldest`` is how many seconds the oldest that is not dead has waited."""

    waiting: int
    held: int
    failing: int
    dead: int
    oldest: float | None
    more: bool


@dataclass(frozen=True)
class Lag:
    """How many current facts have a vector of a model, of how many, and since when the oldest waits for one."""

    done: int
    of: int
    since: datetime | None


@dataclass(frozen=True)
class Counted:
    """What a worker counted ``at``. ``spent`` are [model, runs, tokens in, tokens out, cost or null] since midnight UTC;
    ``place`` is the number of facts in the fullest place."""

    at: datetime
    spent: list[list[Any]]
    vectors: dict[str, Lag]
    place: int


@dataclass(frozen=True)
class Health:
    """``given_up`` are [reason, traces, since when, a trace id]; ``runs``, ``proposed``, ``errors`` (failed runs by
    code) and ``dropped`` (by rule) are of the newest RUNS of the last 24 hours; ``proposals`` wait to be decided, MOST
    and one for any number beyond, the oldest so many seconds. ``worker_seen`` is how many seconds ago the last sign of a
    worker came. ``counted`` is null until a worker has counted. ``hooks_off`` webhooks were switched off by no person."""

    queue: Queue
    given_up: list[list[Any]]
    runs: int
    proposed: int
    errors: dict[str, int]
    dropped: dict[str, int]
    proposals: int
    proposals_oldest: float | None
    sealed: int
    workers: int
    worker_seen: float | None
    settings: ExtractionSettings
    counted: Counted | None
    hooks_off: int


def health(project_id: int, *, sensitivities: tuple[str, ...]) -> Health:
    """In one statement, with the project bound."""
    at = now()
    asked: dict[str, Any] = {
        "project": project_id,
        "now": at,
        "day": at - timedelta(hours=24),
        "attempts": MAX_ATTEMPTS,
        "most": MOST + 1,
        "runs": RUNS,
        "gone": GONE,
        "sensitivities": list(sensitivities),
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "health"), asked)
        found: dict[str, Any] = json.loads(cursor.fetchone()[0])
    queue, chosen, kept = found["queue"], found["settings"] or {}, found["kept"]
    return Health(
        queue=Queue(
            **{name: queue[name] for name in ("waiting", "held", "failing", "dead")},
            oldest=_seconds(queue["oldest"]),
            more=queue["all"] > MOST,
        ),
        given_up=[[reason, n, datetime.fromisoformat(since), one] for reason, n, since, one in found["given_up"]],
        runs=found["runs"]["all"],
        proposed=found["runs"]["proposed"],
        errors=dict(sorted(found["errors"].items(), key=lambda item: (-item[1], item[0]))),
        dropped=found["dropped"],
        proposals=found["proposals"]["all"],
        proposals_oldest=_seconds(found["proposals"]["oldest"]),
        sealed=found["sealed"],
        workers=found["workers"]["alive"],
        worker_seen=_seconds(found["workers"]["last"]),
        settings=ExtractionSettings(project_id=project_id, **chosen),
        counted=_counted(kept, at) if kept else None,
        hooks_off=found["hooks_off"],
    )


def _counted(kept: dict[str, Any], at: datetime) -> Counted:
    today = f"{at.date()}"
    return Counted(
        at=datetime.fromisoformat(kept["at"]),
        spent=[[model, *rest[:4]] for day, model, *rest in kept["spent"] if day == today and model],
        # Not in what was counted before these were.
        vectors={
            name: Lag(done, of, since and datetime.fromisoformat(since))
            for name, (done, of, since) in kept.get("vectors", {}).items()
        },
        place=kept.get("place", 0),
    )


def _seconds(value: float | None) -> float | None:
    return None if value is None else max(0.0, float(value))
