"""What the frame around every page says of its project: the counts of the navigation, and how extraction goes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.health import GONE
from apps.console.hx import visible_sensitivities
from apps.console.shaping.health_tables import midnight
from apps.core.clock import now
from apps.core.counting import MOST
from apps.core.sqlfiles import load
from apps.extraction.queries import MAX_ATTEMPTS

SLOW = 300
"""Seconds after which the oldest trace waits too long: workers look every two."""


LOOKED = 100
"""So many of the traces that wait are looked at, the oldest, for those that gave up and for the one that waits longest."""


@dataclass(frozen=True)
class Frame:
    """``counts`` by the name of the navigation's page, one over MOST for more than that; ``level`` and ``text`` say how
    extraction goes, empty to who may not read it; ``cost`` is of today, null without a price, ``more`` where further
    runs cost something too."""

    counts: dict[str, int]
    level: str = ""
    text: str = ""
    cost: Decimal | None = None
    more: bool = False


def frame(project_id: int, actor: Actor) -> Frame:
    """In one statement, with the project bound."""
    verbs = {
        "facts": "facts.read", "review": "proposals.read", "conflicts": "proposals.read", "dreams": "dreams.read",
        "health": "health.read",
    }  # fmt: skip
    may = {name: allowed(actor, verb) for name, verb in verbs.items()}
    asked: dict[str, Any] = may | {
        "project": project_id,
        "sensitivities": list(visible_sensitivities(actor)),
        "most": MOST + 1,
        "looked": LOOKED,
        "attempts": MAX_ATTEMPTS,
        "midnight": midnight(),
        "alive": now() - timedelta(seconds=GONE),
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "frame"), asked)
        facts, review, conflicts, dreams, dead, oldest, cost, more, workers = cursor.fetchone()
    found = {"facts": facts, "review": review, "conflicts": conflicts, "dreams": dreams}
    counts = {name: count for name, count in found.items() if count is not None}
    if not may["health"]:
        return Frame(counts)
    level, text = _state(dead=bool(dead), oldest=oldest, workers=workers)
    return Frame(counts, level, text, cost, more)


def _state(*, dead: bool, oldest: datetime | None, workers: int) -> tuple[str, str]:
    if dead:
        return "bad", "Traces stuck"
    if not workers:
        return "warn", "No worker runs"
    if oldest and (now() - oldest).total_seconds() > SLOW:
        return "warn", "Traces wait"
    return "ok", "Extraction works"
