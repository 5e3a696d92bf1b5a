"""Delete what a project no longer wants to keep."""

import time

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.privacy.retention import KINDS, cut_off, settings_of
from apps.tenancy.models import Project


def purge_old(*, seconds: float = 240) -> dict[int, dict[str, int]]:
    """What is older than each project's settings say, in batches of a transaction each, until nothing is left or the time
    is over; the next purge goes on. Each batch is recorded with what it took, so that a purge that is killed leaves nothing
    unsaid. Returns the counts by project."""
    end, found = time.monotonic() + seconds, {}
    for project_id in list(Project.objects.order_by("id").values_list("id", flat=True)):
        gone = _purge(project_id, end)
        if gone:
            found[project_id] = gone
    return found


def _purge(project_id: int, end: float) -> dict[str, int]:
    actor = system_actor("retention", project_id)
    require(actor, "retention.purge", project_id=project_id)
    with bind(project_id):
        chosen = settings_of(project_id)
    gone: dict[str, int] = {}
    for kind in KINDS:
        days = getattr(chosen, kind.column)
        while days is not None and time.monotonic() < end:
            with bind(project_id):
                some = kind.delete(project_id, cut_off(days))
                if some:
                    # With the batch, or not at all: what goes is never unrecorded.
                    record(
                        actor=actor,
                        verb="retention.purge",
                        object_type="retention_settings",
                        object_id=project_id,
                        data={kind.column.removesuffix("_days"): some, "older_than_days": days},
                    )
            if not some:
                break
            name = kind.column.removesuffix("_days")
            gone[name] = gone.get(name, 0) + some
    return gone
