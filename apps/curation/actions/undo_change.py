"""Take back what was done a moment ago."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, DomainError, NotFound
from apps.core.transactions import bind, unit
from apps.curation.changes import UNDO_FOR
from apps.curation.locks import lock_places
from apps.curation.models import Change, Proposal
from apps.curation.reopening import Left
from apps.curation.undoing import undo_marks, undo_merge, undo_retirement, undo_version
from apps.curation.undoing_sides import undo_kept_one, undo_opening, undo_part, undo_settlement
from apps.curation.undoing_verdicts import undo_approval, undo_rejection
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

Item = dict[str, Any]

UNDO: dict[str, Callable[[Actor, Change, Item], Left | None]] = {
    "facts.revise": undo_version,
    "facts.file": undo_version,
    "facts.move": undo_version,
    "facts.set_sensitivity": undo_marks,
    "facts.set_expiry": undo_marks,
    "facts.pin": undo_marks,
    "facts.unpin": undo_marks,
    "facts.disable": undo_marks,
    "facts.enable": undo_marks,
    "facts.retire": undo_retirement,
    "facts.merge": undo_merge,
    "conflicts.open": undo_opening,
    "conflicts.settle": undo_settlement,
    "duplicates.merge": undo_kept_one,
    "duplicates.part": undo_part,
    "proposals.approve": undo_approval,
    "proposals.reject": undo_rejection,
}
"""What takes back one item of a change, by its verb. It finds the rows it needs locked, writes and records in the audit,
and raises a DomainError where something later touched them: that item is left, and the others are taken back. What went
with an item and does not come back with it, it returns."""


@dataclass(frozen=True)
class UndoResult:
    """How many items were taken back, and what was left as it is: (what, reason)."""

    undone: int
    left: list[tuple[str, str]] = field(default_factory=list)


def undo_change(*, actor: Actor, change_id: UUID) -> UndoResult:
    """Take back a change of the actor's own, item by item, within `UNDO_FOR` of it.

    Raises NotFound for a change that is somebody else's or not there, and Conflict ``undo_expired``, ``undone``.
    """
    require(actor, "changes.undo")
    assert actor.project_id is not None, "the policy asks for a role, and a role is held in a project"
    with bind(actor.project_id):
        change = (
            Change.objects.select_for_update()
            .filter(project_id=actor.project_id, id=change_id, made_by=actor.name)
            .first()
        )
        if change is None:
            raise NotFound("not_found", "There is no such change of yours in this project.")
        if change.undone_at is not None:
            raise Conflict("undone", "This was taken back before.")
        at = now()
        if at - change.made_at > UNDO_FOR:
            minutes = int(UNDO_FOR.total_seconds() // 60)
            raise Conflict("undo_expired", f"A change can be taken back for {minutes} minutes. This one stays.")
        _lock(change)
        undone, left = 0, Left()
        for item in change.items:
            try:
                with unit():
                    beside = UNDO[change.verb](actor, change, item)
                undone += 1
                left += beside or []
            except DomainError as error:
                left.append((named(item), error.detail))
        if undone:
            change.undone_at, change.undone_by = at, actor.name
            change.save(update_fields=["undone_at", "undone_by"])
            record(
                actor=actor,
                verb="changes.undo",
                object_type="change",
                object_id=change.id,
                data={"verb": change.verb, "undone": undone, "left": [what for what, _ in left]},
            )
    return UndoResult(undone, left)


def named(item: Item) -> str:
    """How people name what an item is about: ``#1842``, ``#3 and #4``, ``P-1f09ab``, ``conflict 58``."""
    if "conflict" in item:
        return f"conflict {item['conflict']}"
    if "proposal" in item:
        return f"P-{item['proposal'][-6:]}"
    return " and ".join(f"#{fact_id}" for fact_id in item.get("facts") or [item["fact"]])


def _lock(change: Change) -> None:
    """Every row the items name, in the one order: places, proposals, facts."""
    items: Iterable[Item] = change.items
    proposals = Proposal.objects.in_project(change.project_id).filter(
        id__in={text for item in items for text in (item.get("proposal"), *item.get("proposals", ())) if text}
    )
    facts: set[int] = set()
    for item in items:
        facts |= {item[name] for name in ("fact", "new") if item.get(name)} | set(item.get("facts", ()))
    places = set(proposals.values_list("scope", "scope_id"))
    if any("conflict" in item or item.get("settled") for item in items):
        # Nobody may open a conflict there while one is opened again.
        places |= set(Fact.objects.in_project(change.project_id).filter(id__in=facts).values_list("scope", "scope_id"))
    lock_places(change.project_id, places)
    list(proposals.select_for_update().order_by("id"))
    locked_facts(change.project_id, facts)
