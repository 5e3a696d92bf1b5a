"""Taking back one item of a change to facts. The rows are locked by whoever calls."""

from typing import Any

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.curation.changes import state_of
from apps.curation.models import Change
from apps.facts.append import append_copy, next_fact_id, supersede
from apps.facts.models import Fact


def undo_version(actor: Actor, change: Change, item: dict[str, Any]) -> None:
    """Put the version ``fact`` back in place of ``new``, as a copy of it: facts are append-only. ``now`` is the state
    that the change left ``new`` in."""
    old, new = (_found(change, item[name]) for name in ("fact", "new"))
    if state_of(new) != item["now"]:
        raise Conflict("fact_moved", f"#{new.id} was changed since.")
    copy_id = next_fact_id()
    supersede([new], copy_id)
    append_copy(old, fact_id=copy_id, approved_by=actor.name)
    record(
        actor=actor,
        verb="facts.undo",
        object_type="fact",
        object_id=copy_id,
        data={"supersedes": [new.id], "copies": old.id},
    )


def _found(change: Change, fact_id: int) -> Fact:
    fact = Fact.objects.in_project(change.project_id).filter(id=fact_id).first()
    if fact is None:
        raise Conflict("fact_gone", f"#{fact_id} was forgotten since.")
    return fact
