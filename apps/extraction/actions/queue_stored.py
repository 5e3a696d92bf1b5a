"""Have the workers mine stored traces with the project's present extractor."""

from datetime import datetime
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.extraction.ledger import at_rest, not_mined_by, reopen, signature_of, stored_traces
from apps.extraction.queries import settings_of

MOST = 1_000


def queue_stored(
    *, actor: Actor, project_id: int, since: datetime, agent_id: UUID | None = None, limit: int = MOST
) -> int:
    """Queue the newest ``limit`` traces that ran since then, are at rest, and were not mined by the present extractor,
    its version and model; returns how many. What has no confidence of its own is certain then, as `learn_traces` has it.
    Doing it twice queues nothing more.

    Raises Invalid for a limit outside 1..1,000.
    """
    require(actor, "traces.extract", project_id=project_id)
    if not 1 <= limit <= MOST:
        raise Invalid("out_of_range", f"Between 1 and {MOST:,} traces.", pointer="/limit")
    with bind(project_id):
        signature = signature_of(settings_of(project_id))
        stored = at_rest(not_mined_by(stored_traces(project_id, since=since, agent_id=agent_id), signature))
        newest = stored.order_by("-started_at", "-id").select_for_update(of=("self",), skip_locked=True)
        traces = list(newest.values_list("id", "trace_id")[:limit])
        if traces:
            reopen(project_id, traces, signature)
            record(
                actor=actor,
                verb="traces.queue_stored",
                object_type="traces",
                object_id=str(signature),
                data={"queued": len(traces)},
            )
    return len(traces)
