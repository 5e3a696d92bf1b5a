"""Count what a project comes to, and keep it."""

import json
import time
from datetime import timedelta
from typing import Any

from django.db import connection

from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.insight.models import Figures
from apps.insight.queries import PERIODS

SOONEST, IDLE, LATEST = timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1)
"""Until figures are counted again: after a change, where nothing happened, and where only reads may have."""
SHARE = 50
"""Counting takes at most one part in so many of a worker's time for one project."""


def count_figures(project_id: int, *, anew: bool = False) -> bool:
    """Count one project's figures and say when next; returns whether they were counted. Left alone where nothing has
    happened since the last time, unless ``anew``, and where another worker is at it."""
    with bind(project_id), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended('figures', %s))", [project_id])
        if not cursor.fetchone()[0]:
            return False
        at, start = now(), time.monotonic()
        cursor.execute(load("apps.insight", "stamp"), {"project": project_id})
        (stamp,) = cursor.fetchone()
        kept = Figures.objects.filter(project_id=project_id).first()
        if kept and not anew and kept.stamp == stamp and kept.at > at - LATEST:
            Figures.objects.filter(project_id=project_id).update(next_at=at + IDLE)
            return False
        # A large project takes longer than a page may.
        cursor.execute("SET LOCAL statement_timeout = '120s'")
        midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
        since = midnight - timedelta(days=max(PERIODS) - 1)
        asked: dict[str, Any] = {"project": project_id, "now": at, "since": since, "periods": list(PERIODS)}
        cursor.execute(f"SELECT ({load('apps.insight', 'figures').strip()})::text", asked)
        (counted,) = cursor.fetchone()
        wait = max(SOONEST, min(LATEST, SHARE * timedelta(seconds=time.monotonic() - start)))
        Figures.objects.bulk_create(
            [Figures(project_id=project_id, at=at, next_at=at + wait, stamp=stamp, counted=json.loads(counted))],
            update_conflicts=True,
            unique_fields=["project"],
            update_fields=["at", "next_at", "stamp", "counted"],
        )
    return True
