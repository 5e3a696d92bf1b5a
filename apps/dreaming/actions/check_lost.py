"""Look every night whether a run has lost a fact."""

import structlog
from django.db import connection

from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.tenancy.models import Project

log = structlog.get_logger(__name__)

DAYS = 60
"""Changes decided within so many days are looked at: longer than one can be taken back."""


def check_lost() -> dict[int, list[int]]:
    """Facts by project that a run closed and that lead to no fact any more. Reads only; what it finds is logged by number."""
    found: dict[int, list[int]] = {}
    for project_id in Project.objects.order_by("id").values_list("id", flat=True):
        with bind(project_id), connection.cursor() as cursor:
            cursor.execute(load("apps.dreaming", "lost"), {"project": project_id, "days": DAYS})
            lost = [row[0] for row in cursor.fetchall()]
        if lost:
            log.error("dreams_lost_facts", project=project_id, facts=lost[:100], count=len(lost))
            found[project_id] = lost
    return found
