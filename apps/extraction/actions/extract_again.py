"""A person sends a trace through extraction once more."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.traces.models import Message, Trace


def extract_again(*, actor: Actor, project_id: int, trace_id: str) -> Trace:
    """Forget what was mined of the trace and queue it, a dead one too. What is known, waits, or was refused is not
    proposed a second time. Raises NotFound."""
    require(actor, "traces.extract", project_id=project_id)
    with bind(project_id):
        trace = Trace.objects.select_for_update().filter(project_id=project_id, trace_id=trace_id).first()
        if trace is None:
            raise NotFound("not_found", "There is no such trace in this project.")
        Message.objects.filter(project_id=project_id, trace_id=trace_id).update(mined_at=None)
        trace.extracted_at = trace.not_before = trace.lease_until = trace.lease_token = None
        trace.attempts, trace.dead_reason, trace.by_hand = 0, "", False
        trace.save(
            update_fields=[
                "extracted_at",
                "not_before",
                "lease_until",
                "lease_token",
                "attempts",
                "dead_reason",
                "by_hand",
            ]
        )
        record(actor=actor, verb="traces.extract_again", object_type="trace", object_id=trace_id)
    return trace
