"""Tick every open change of a run in which there is nothing to judge."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.transactions import bind
from apps.dreaming.actions.decide_changes import decide_changes
from apps.dreaming.models import DreamChange


def accept_safe(*, actor: Actor, project_id: int, run_id: int) -> list[DreamChange]:
    """The same words in favour of one of them, a date that was worked out, what is over by its marks: those that are now
    accepted. Errors are `decide_changes`'s."""
    require(actor, "dreams.decide", project_id=project_id)
    with bind(project_id):
        rows = DreamChange.objects.filter(project_id=project_id, run_id=run_id, safe=True, state="pending")
        ids = list(rows.order_by("id").values_list("id", flat=True))
        return decide_changes(actor=actor, project_id=project_id, run_id=run_id, change_ids=ids, to="accepted")
