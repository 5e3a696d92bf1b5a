"""Conflicts that ended with what is taken back, opened again. The places of their facts are locked by whoever calls."""

from collections.abc import Iterable

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.curation.conflicts import contest
from apps.curation.models import Change, Conflict
from apps.curation.standing import standing

Left = list[tuple[str, str]]
"""What stays as it is, and why."""


def open_again(actor: Actor, change: Change, conflict_ids: Iterable[int]) -> Left:
    """Open each of these that the change settled, once its sides stand again. One that somebody settled by a word of his
    own since, that another conflict took the place of, or of which fewer than two sides stand, is left settled."""
    project_id, left = change.project_id, Left()
    for conflict in (
        Conflict.objects.select_for_update().filter(project_id=project_id, id__in=list(conflict_ids)).order_by("id")
    ):
        if conflict.settled_at is None:
            continue
        if why := _objection(change, conflict):
            left.append((f"conflict {conflict.id}", f"{why} It stays settled."))
            continue
        conflict.settled_at, conflict.settled_by, conflict.settlement = None, "", ""
        conflict.save(update_fields=["settled_at", "settled_by", "settlement"])
        contest(project_id, [side.fact.id for side in standing(project_id, conflict.id) if side.fact])
        data = {"of": change.verb}
        record(actor=actor, verb="conflicts.undo", object_type="conflict", object_id=conflict.id, data=data)
    return left


def _objection(change: Change, conflict: Conflict) -> str:
    if conflict.settled_by != change.made_by or conflict.note:
        return "Somebody settled it anew since."
    key = {name: getattr(conflict, name) for name in ("subject_id", "agent_id", "scope", "scope_id", "attribute")}
    if Conflict.objects.filter(project_id=change.project_id, settled_at=None, **key).exists():
        return "Another conflict about this was opened since."
    if len(standing(change.project_id, conflict.id)) < 2:
        return "Its other side no longer stands."
    return ""
