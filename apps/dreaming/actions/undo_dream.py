"""Take back what a run changed: all of it, or some of its changes."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, DomainError
from apps.core.transactions import bind
from apps.curation.changes import state_of
from apps.curation.locks import lock_places
from apps.curation.models import Change
from apps.curation.undoing import undo_merge, undo_retirement, undo_version
from apps.curation.undoing_sides import undo_kept_one, undo_opening
from apps.dreaming.locks import locked_changes, locked_run
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.states import CHANGE_MOVES, RUN_MOVES, check_move
from apps.facts.locks import locked_facts
from apps.facts.models import Fact

UNDO_FOR = timedelta(days=30)


@dataclass
class Undone:
    """``left``: (change, reason) of those that something later touched."""

    run: DreamRun
    undone: list[DreamChange] = field(default_factory=list)
    left: list[tuple[DreamChange, str]] = field(default_factory=list)


def undo_dream(*, actor: Actor, project_id: int, run_id: int, change_ids: Collection[int] | None = None) -> Undone:
    """Take back these changes, or all that were applied, the last first and item by item, within `UNDO_FOR` of each.

    What a fact says never goes back: the old version is appended again. Raises NotFound, and Conflict ``wrong_state`` for
    a change that was not applied and ``nothing_applied`` for a run none of whose changes was.
    """
    require(actor, "dreams.undo", project_id=project_id)
    with bind(project_id):
        run = locked_run(project_id, run_id)
        lock_places(project_id, [(run.scope, run.scope_id)])
        changes = locked_changes(run, change_ids) if change_ids is not None else locked_changes(run, state="applied")
        if not changes:
            raise Conflict("nothing_applied", "Nothing of this run was applied.")
        for change in changes:
            check_move(CHANGE_MOVES, change.state, "undone", "change")
        locked_facts(project_id, {fact_id for change in changes for fact_id in _facts(change.done or {})})
        done = Undone(run)
        for change in reversed(changes):
            try:
                with bind(project_id):
                    _undo(actor, change)
            except DomainError as error:
                done.left.append((change, error.detail))
            else:
                done.undone.append(change)
        if done.undone:
            _close(actor, run, done)
    return done


def _undo(actor: Actor, change: DreamChange) -> None:
    item: dict[str, Any] = dict(change.done or {})
    verb = item.pop("verb")
    if change.decided_at is not None and now() - change.decided_at > UNDO_FOR:
        raise Conflict("undo_expired", f"A change can be taken back for {UNDO_FOR.days} days. This one stays.")
    noted = Change(project_id=change.project_id, made_by=change.decided_by, verb=verb, items=[])
    UNDO[verb](actor, noted, item)
    change.state = "undone"
    change.decided_at, change.decided_by = now(), actor.name
    change.save(update_fields=["state", "decided_at", "decided_by"])


def _undo_add(actor: Actor, change: Change, item: dict[str, Any]) -> None:
    fact = Fact.objects.in_project(change.project_id).filter(id=item["fact"]).first()
    if fact is None:
        raise Conflict("fact_gone", f"#{item['fact']} was forgotten since.")
    if state_of(fact) != item["now"]:
        raise Conflict("fact_moved", f"#{fact.id} was changed since.")
    fact.retired_at, fact.retired_reason = now(), "undone"
    fact.save(update_fields=["retired_at", "retired_reason"])
    record(actor=actor, verb="facts.retire", object_type="fact", object_id=fact.id, reason="undone")


UNDO: dict[str, Callable[[Actor, Change, dict[str, Any]], object]] = {
    "facts.revise": undo_version,
    "facts.retire": undo_retirement,
    "facts.merge": undo_merge,
    "duplicates.merge": undo_kept_one,
    "conflicts.open": undo_opening,
    "dreams.add": _undo_add,
}


def _facts(item: dict[str, Any]) -> set[int]:
    return {item[name] for name in ("fact", "new", "keep") if item.get(name)} | set(item.get("facts", ()))


def _close(actor: Actor, run: DreamRun, done: Undone) -> None:
    rows = DreamChange.objects.filter(project_id=run.project_id, run_id=run.id)
    states = set(rows.values_list("state", flat=True))
    if "applied" not in states and not states & {"pending", "accepted"}:
        check_move(RUN_MOVES, run.state, "undone", "run")
        run.state, run.undone_at = "undone", now()
        run.save(update_fields=["state", "undone_at"])
    record(
        actor=actor,
        verb="dreams.undo",
        object_type="dream_run",
        object_id=run.id,
        data={
            "undone": [change.id for change in done.undone],
            "left": [change.id for change, _ in done.left],
        },
    )
