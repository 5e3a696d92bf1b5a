"""The audit log leaves the house."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.queries import Wanted, head_of
from apps.core.transactions import bind


def export_audit(*, actor: Actor, project_id: int, wanted: Wanted) -> int:
    """Record that ``actor`` takes along events of the project; returns the number of the last one he may take, which is
    the one before this act. `apps.audit.queries.exported` reads them."""
    require(actor, "audit.export", project_id=project_id)
    with bind(project_id):
        up_to, _ = head_of(project_id)
        filtered = wanted != Wanted()
        record(
            actor=actor,
            verb="audit.export",
            object_type="project",
            object_id=project_id,
            data={"up_to": up_to, "filtered": filtered},
        )
    return up_to
