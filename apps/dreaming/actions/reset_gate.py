"""Open the gate of a place whose runs failed."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.dreaming.models import DreamGate


def reset_gate(*, actor: Actor, project_id: int, gate_id: int) -> DreamGate:
    """Runs of its place may start again at once. Raises NotFound. One that is open stays so."""
    require(actor, "dreams.reset_gate", project_id=project_id)
    with bind(project_id):
        gate = DreamGate.objects.select_for_update().filter(project_id=project_id, id=gate_id).first()
        if gate is None:
            raise NotFound("not_found", "There is no such gate in this project.")
        data = {"failures": gate.failures, "error": gate.last_error}
        gate.failures, gate.closed_at, gate.trial_at, gate.last_error = 0, None, None, ""
        gate.save(update_fields=["failures", "closed_at", "trial_at", "last_error"])
        record(actor=actor, verb="dreams.reset_gate", object_type="dream_gate", object_id=gate.id, data=data)
    return gate
