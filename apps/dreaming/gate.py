"""How a place's runs went: three failures in a row close its gate, a success opens it."""

from django.db import connection

from apps.core.clock import now
from apps.dreaming.models import DreamGate, DreamRun
from apps.dreaming.queries import FAILURES


def failed(run: DreamRun, code: str) -> None:
    """Count a failure of the run's place, in one statement, so that two at once are two."""
    at = now()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dreaming_dreamgate AS g (project_id, scope, scope_id, subject_id, failures, last_error)"
            " VALUES (%s, %s, %s, %s, 1, %s) ON CONFLICT (project_id, scope, scope_id) DO UPDATE"
            " SET failures = g.failures + 1, last_error = excluded.last_error, trial_at = NULL,"
            " closed_at = CASE WHEN g.failures + 1 >= %s THEN %s::timestamptz END",
            [run.project_id, run.scope, run.scope_id, run.subject_id, code, FAILURES, at],
        )


def succeeded(run: DreamRun) -> None:
    """The place is as good as new."""
    DreamGate.objects.filter(project_id=run.project_id, scope=run.scope, scope_id=run.scope_id).update(
        failures=0, closed_at=None, trial_at=None, last_error=""
    )


def let_go(run: DreamRun) -> None:
    """The run ended without saying how it would have gone: if it was the trial, another may follow."""
    DreamGate.objects.filter(project_id=run.project_id, scope=run.scope, scope_id=run.scope_id).update(trial_at=None)
