"""Count what happened in each project, day by day."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection

from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.extraction.models import DayFigures
from apps.tenancy.models import Project

FIRST = timedelta(days=90)
"""How far back a project is counted that was not counted before."""
AGAIN = timedelta(days=1)
NOT_JUNK = ["known", "waiting"]
"""What runs count beside what they left out: it was known already."""


def roll_up_days() -> int:
    """Today and the day before of every project, and the days since it was last counted; returns how many
    projects. What was counted of a closed one was wiped with the rest."""
    projects = list(
        Project.objects.filter(archived_at=None, closed_at=None).order_by("id").values_list("id", flat=True)
    )
    for project_id in projects:
        with bind(project_id):
            last = (
                DayFigures.objects.filter(project_id=project_id).order_by("-day").values_list("day", flat=True).first()
            )
            today = now().date()
            since = min(last, today) - AGAIN if last else today - FIRST
            values: dict[str, Any] = {
                "project": project_id,
                "since": since,
                "from": datetime(since.year, since.month, since.day, tzinfo=UTC),
                "not_junk": NOT_JUNK,
            }
            with connection.cursor() as cursor:
                cursor.execute(load("apps.extraction", "roll_up_days"), values)
    return len(projects)
