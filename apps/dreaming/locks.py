"""The row locks of dream runs, in one order: the person, the run, its changes."""

from collections.abc import Collection

from django.db import connection

from apps.core.errors import NotFound
from apps.dreaming.models import DreamChange, DreamRun


def locked_run(project_id: int, run_id: int) -> DreamRun:
    """The run, locked, with its person held as he is. Raises NotFound. The project is bound."""
    rows = DreamRun.objects.filter(project_id=project_id, id=run_id)
    subject_id = rows.values_list("subject_id", flat=True).first()
    if subject_id is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM tenancy_subject WHERE project_id = %s AND id = %s FOR SHARE", [project_id, subject_id]
            )
    run = rows.select_for_update().first()
    if run is None:
        raise NotFound("not_found", "There is no such run in this project.")
    return run


def locked_changes(run: DreamRun, ids: Collection[int] | None = None, **which: object) -> list[DreamChange]:
    """Those of the run's changes, all without ``ids``, in their order. Raises NotFound where one is not the run's."""
    rows = DreamChange.objects.select_for_update().filter(project_id=run.project_id, run_id=run.id, **which)
    if ids is not None:
        rows = rows.filter(id__in=set(ids))
    found = list(rows.order_by("id"))
    if ids is not None and len(found) != len(set(ids)):
        raise NotFound("not_found", "One of these changes is not in this run any more.")
    return found
