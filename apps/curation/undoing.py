"""Taking back one item of a change to facts. The rows are locked by whoever calls.

What a fact says and whether it is closed never goes back: the old version is appended again, as a copy.
"""

from typing import Any

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict
from apps.curation.changes import columns_of, state_of
from apps.curation.models import Change
from apps.curation.reopening import Left, open_again
from apps.facts.append import append_copy, next_fact_id, supersede
from apps.facts.models import Fact, FactDerivation


def undo_marks(actor: Actor, change: Change, item: dict[str, Any]) -> None:
    """Put back the marks ``was`` of ``fact``."""
    fact = _untouched(change, item["fact"], item["now"])
    columns = columns_of(item["was"])
    for name, value in columns.items():
        setattr(fact, name, value)
    fact.save(update_fields=list(columns))
    data = {"of": change.verb, "marks": item["was"]}
    record(actor=actor, verb="facts.undo", object_type="fact", object_id=fact.id, data=data)


def undo_version(actor: Actor, change: Change, item: dict[str, Any]) -> None:
    """Put the version ``fact`` back in place of ``new``."""
    old, new = _found(change, item["fact"]), _untouched(change, item["new"], item["now"])
    _bring_back(actor, change, old, instead_of=new)


def undo_retirement(actor: Actor, change: Change, item: dict[str, Any]) -> Left:
    """Tell the retired ``fact`` again, and open the conflicts again that ended with it; what of these stays settled, and
    why."""
    old = _untouched(change, item["fact"], item["now"])
    _bring_back(actor, change, old, instead_of=old)
    return open_again(actor, change, item.get("settled", []))


def undo_merge(actor: Actor, change: Change, item: dict[str, Any]) -> None:
    """Put ``facts`` back beside each other and retire ``new``, which they were merged into. Each copy is derived from
    the row it copies, so that whoever forgets it finds that too."""
    merged = _untouched(change, item["new"], item["now"])
    sources = [_found(change, fact_id) for fact_id in item["facts"]]
    merged.retired_at, merged.retired_reason = now(), "undone"
    merged.save(update_fields=["retired_at", "retired_reason"])
    for old in sources:
        copy = append_copy(old, fact_id=next_fact_id(), approved_by=actor.name)
        FactDerivation.objects.create(project_id=change.project_id, child_id=copy.id, parent_id=old.id)
        data = {"of": change.verb, "copies": old.id}
        record(actor=actor, verb="facts.undo", object_type="fact", object_id=copy.id, data=data)
    data = {"of": change.verb, "copies": item["facts"]}
    record(actor=actor, verb="facts.retire", object_type="fact", object_id=merged.id, reason="undone", data=data)


def _bring_back(actor: Actor, change: Change, old: Fact, *, instead_of: Fact) -> None:
    copy_id = next_fact_id()
    supersede([instead_of], copy_id)
    copy = append_copy(old, fact_id=copy_id, approved_by=actor.name)
    if copy.contested_at != instead_of.contested_at:
        # Whether it is in dispute is what the latest version knows.
        copy.contested_at = instead_of.contested_at
        copy.save(update_fields=["contested_at"])
    data = {"of": change.verb, "supersedes": [instead_of.id], "copies": old.id}
    record(actor=actor, verb="facts.undo", object_type="fact", object_id=copy.id, data=data)


def _found(change: Change, fact_id: int) -> Fact:
    fact = Fact.objects.in_project(change.project_id).filter(id=fact_id).first()
    if fact is None:
        raise Conflict("fact_gone", f"#{fact_id} was forgotten since.")
    return fact


def _untouched(change: Change, fact_id: int, state: dict[str, Any]) -> Fact:
    """The fact as the change left it. Raises Conflict where it is not so any more."""
    fact = _found(change, fact_id)
    if state_of(fact) != state:
        raise Conflict("fact_moved", f"#{fact_id} was changed since.")
    return fact
