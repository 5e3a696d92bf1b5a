"""Tick changes of a run, refuse them, or leave them open again; nothing is applied by that."""

from collections.abc import Collection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.dreaming.deciding import ready, settle_run
from apps.dreaming.locks import locked_changes, locked_run
from apps.dreaming.models import DreamChange
from apps.dreaming.states import CHANGE_MOVES, check_move


def decide_changes(
    *, actor: Actor, project_id: int, run_id: int, change_ids: Collection[int], to: str
) -> list[DreamChange]:
    """Put each into ``accepted``, ``rejected`` or ``pending``; all or nothing. One that is there already stays as it is.
    Raises NotFound, Invalid, and Conflict ``wrong_state`` for one that was applied, conflicted or undone."""
    require(actor, "dreams.decide", project_id=project_id)
    if to not in ("accepted", "rejected", "pending"):
        raise Invalid("unknown_choice", "A change is accepted, rejected or left open.", pointer="/to")
    with bind(project_id):
        run = locked_run(project_id, run_id)
        ready(run)
        changes = locked_changes(run, change_ids)
        moved = [change for change in changes if change.state != to]
        for change in moved:
            check_move(CHANGE_MOVES, change.state, to, "change")
            change.state = to
            change.decided_at, change.decided_by = (None, "") if to == "pending" else (now(), actor.name)
            change.save(update_fields=["state", "decided_at", "decided_by"])
        if moved:
            settle_run(run)
            data = {"to": to, "changes": [change.id for change in moved]}
            record(actor=actor, verb="dreams.decide", object_type="dream_run", object_id=run.id, data=data)
    return changes
