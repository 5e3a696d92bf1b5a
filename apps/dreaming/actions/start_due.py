"""Start the runs that projects want to start by themselves."""

from django.db import connection

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.core.errors import DomainError
from apps.core.sqlfiles import load
from apps.core.transactions import bind, unit
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.queries import settings_of

LOOK = 20_000
"""The newest so many facts of a project are looked at."""
MOST = 50
"""Places of a project that are started at once."""


def start_due() -> int:
    """Queue a run for each place that has grown by the project's threshold, or has grown at all and was not dreamed for as
    long as its schedule says; returns how many were queued. A lost or doubled call changes nothing."""
    with unit(), connection.cursor() as cursor:
        cursor.execute("SELECT project_id FROM projects_that_dream()")
        projects = [row[0] for row in cursor.fetchall()]
    return sum(map(_start, projects))


def _start(project_id: int) -> int:
    actor = system_actor("dreaming", project_id)
    require(actor, "dreams.start", project_id=project_id)
    with bind(project_id):
        chosen = settings_of(project_id)
        with connection.cursor() as cursor:
            cursor.execute(load("apps.dreaming", "due_places"), {"project": project_id, "look": LOOK, "most": MOST})
            places = cursor.fetchall()
    started = 0
    for scope, scope_id, fresh, hours in places:
        by_number = chosen.threshold is not None and fresh >= chosen.threshold
        by_time = chosen.schedule_hours is not None and (hours is None or hours >= chosen.schedule_hours)
        if not by_number and not by_time:
            continue
        try:
            found = start_dream(
                actor=actor,
                project_id=project_id,
                scope=scope,
                scope_id=scope_id,
                origin="threshold" if by_number else "schedule",
            )
        except DomainError:
            # Its gate is closed, or its person is being erased: the next sweep asks again.
            continue
        started += found.created
    return started
