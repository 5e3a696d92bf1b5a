"""Somebody looks at what all the others did."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.access.queries import audit_reads
from apps.audit.actions.record import record
from apps.core.transactions import bind


def note_audit_read(*, actor: Actor, project_id: int) -> bool:
    """Record that ``actor`` reads the audit log of the project, unless that was recorded within the hour. Returns whether
    it was recorded now; two reads at the same moment may both be."""
    require(actor, "audit.read", project_id=project_id)
    with bind(project_id):
        if audit_reads(actor, project_id).exists():
            return False
        record(actor=actor, verb="audit.read", object_type="project", object_id=project_id)
    return True
