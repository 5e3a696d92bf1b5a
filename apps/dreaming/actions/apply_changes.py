"""Do what was ticked, all of it in one transaction."""

from collections.abc import Collection
from dataclasses import dataclass, field

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.failpoints import reached
from apps.core.transactions import bind
from apps.curation.locks import lock_places
from apps.dreaming.applying import Moved, apply_one, rows_of
from apps.dreaming.deciding import ready, settle_run
from apps.dreaming.locks import locked_changes, locked_run
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.states import CHANGE_MOVES, check_move


@dataclass
class Applied:
    """``conflicted``: their facts moved since the run, so they were left; ``left``: (change, code, reason) of those that
    something else stands against, still accepted."""

    run: DreamRun
    applied: list[DreamChange] = field(default_factory=list)
    conflicted: list[DreamChange] = field(default_factory=list)
    left: list[tuple[DreamChange, str, str]] = field(default_factory=list)


def apply_changes(*, actor: Actor, project_id: int, run_id: int, change_ids: Collection[int] | None = None) -> Applied:
    """Apply the changes named, or all that are accepted, in their order; each in a savepoint of its own, so that one whose
    facts moved becomes ``conflicted`` and the others are done. Nothing is forced.

    Raises NotFound for a change that is not the run's, and Conflict ``wrong_state`` and ``dry_run``.
    """
    require(actor, "dreams.apply", project_id=project_id)
    with bind(project_id):
        run = locked_run(project_id, run_id)
        ready(run, apply=True)
        lock_places(project_id, [(run.scope, run.scope_id)])
        changes = locked_changes(run, change_ids) if change_ids is not None else locked_changes(run, state="accepted")
        for change in changes:
            if change.state != "applied":
                check_move(CHANGE_MOVES, change.state, "applied", "change")
        done = Applied(run)
        rows = rows_of(run, changes)
        for change in changes:
            if change.state == "applied":
                continue
            try:
                # A savepoint of its own: what refuses leaves no trace among the others.
                with bind(project_id):
                    apply_one(actor, run, change, rows)
            except Moved as moved:
                _decide(change, "conflicted", actor, why=moved.code)
                done.conflicted.append(change)
            except DomainError as error:
                _decide(change, "accepted", actor, why=error.code[:40])
                done.left.append((change, error.code, error.detail))
            else:
                _decide(change, "applied", actor)
                done.applied.append(change)
                reached("apply.one")
        settle_run(run)
        record(
            actor=actor,
            verb="dreams.apply",
            object_type="dream_run",
            object_id=run.id,
            data={
                "applied": [change.id for change in done.applied],
                "conflicted": [change.id for change in done.conflicted],
                "left": [change.id for change, _, _ in done.left],
            },
        )
        reached("apply.before-commit")
    return done


def _decide(change: DreamChange, state: str, actor: Actor, *, why: str = "") -> None:
    change.state, change.decided_at, change.decided_by, change.why = state, now(), actor.name, why
    change.save(update_fields=["state", "decided_at", "decided_by", "why", "fact", "done"])
