"""Somebody looks at what all the others did."""

from datetime import timedelta

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind

ANEW = timedelta(hours=1)
"""Who goes on reading is noted once in this time: a log that grows by each look at it would hold little else."""


def note_audit_read(*, actor: Actor, project_id: int) -> bool:
    """Record that ``actor`` reads the audit log of the project, unless that was recorded within the hour. Returns whether
    it was recorded now; two reads at the same moment may both be."""
    require(actor, "audit.read", project_id=project_id)
    with bind(project_id):
        theirs = AuditEvent.objects.filter(project_id=project_id, actor_kind=actor.kind, actor_id=actor.id)
        if theirs.filter(verb="audit.read", result="done", at__gte=now() - ANEW).exists():
            return False
        record(actor=actor, verb="audit.read", object_type="project", object_id=project_id)
    return True
