"""A person decides which of the statements that can't all hold does."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.text import one_line
from apps.core.transactions import bind
from apps.curation.changes import record_change, state_of
from apps.curation.conflicts import agreed, settle, touching
from apps.curation.locks import lock_places
from apps.curation.models import Change, Conflict, Proposal
from apps.curation.settling import Settling
from apps.curation.standing import Side, seen_as, standing
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.screening.screen import screen

MAX_NOTE = 500
SETTLEMENT = {"keep": "kept_one", "both": "kept_both", "write": "wrote_new"}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What holds. ``keep``: the side named, ``both``: all of them, as they are, each in its own time or in its own
    place; ``write``: none, but ``content``.

    ``until`` ends the one of two sides that was said earlier, and begins the other; ``places`` gives sides another
    (scope, scope id), by their names. Sides are named as in `Side.ref`.
    """

    kind: Literal["keep", "both", "write"]
    keep: str = ""
    until: datetime | None = None
    places: dict[str, tuple[str, str]] = field(default_factory=dict)
    content: str = ""


@dataclass(frozen=True)
class Settled:
    """``stands`` are the facts that are current now, ``change`` is what takes it back."""

    conflict: Conflict
    stands: list[Fact]
    change: Change


def settle_conflict(
    *, actor: Actor, project_id: int, conflict_id: int, seen: str, verdict: Verdict, note: str = ""
) -> Settled:
    """Settle an open conflict. ``seen`` names the sides that the person saw (`seen_as`); ``note`` is kept with it, one
    line of at most 500 characters.

    A kept fact supersedes the others, a kept proposal is approved in their stead, proposals that lose are rejected; a
    third wording supersedes all facts and takes over all evidence. Kept both, facts that change become new versions,
    and proposals are approved. Raises NotFound, Conflict ``conflict_settled``, ``conflict_moved`` where a side changed
    since it was seen, ``secret``, ``fact_exists`` and ``fact_moved``, and Invalid for a verdict that names no side,
    splits nothing, or can't be stored; nothing is changed then.
    """
    require(actor, "conflicts.settle", project_id=project_id)
    note = _note(note)
    with bind(project_id):
        conflict, sides = _locked(project_id, conflict_id, seen)
        work = Settling(actor, project_id, sides)
        if not sides:
            pass  # there is nothing left to decide about, so the verdict says nothing
        elif verdict.kind == "keep":
            work.keep(_named(sides, verdict.keep))
        elif verdict.kind == "write":
            work.write(verdict.content)
        else:
            work.keep_all(until=verdict.until, places=_places(sides, verdict.places))
        conflict.settlement, conflict.note = SETTLEMENT[verdict.kind] if sides else "moot", note
        conflict.settled_at, conflict.settled_by = now(), actor.name
        conflict.save(update_fields=["settlement", "note", "settled_at", "settled_by"])
        stands = [side.row for side in standing(project_id, conflict.id) if isinstance(side.row, Fact)]
        agreed(project_id, [fact.id for fact in stands])
        settle(project_id, touching(project_id, work.facts, work.proposals), by=actor.name)
        record(
            actor=actor,
            verb="conflicts.settle",
            object_type="conflict",
            object_id=conflict.id,
            data=work.summary() | {"settlement": conflict.settlement},
        )
        change = record_change(actor=actor, verb="conflicts.settle", items=[_item(conflict, work)])
        stands = list(Fact.objects.in_project(project_id).filter(id__in=[fact.id for fact in stands]).order_by("id"))
    return Settled(conflict, stands, change)


def _locked(project_id: int, conflict_id: int, seen: str) -> tuple[Conflict, list[Side]]:
    """The conflict and its sides, all locked in the one order and looked at again: places, proposals, facts, conflict."""
    sides = standing(project_id, conflict_id)
    lock_places(project_id, {(side.row.scope, side.row.scope_id) for side in sides})
    ids = [side.proposal.id for side in sides if side.proposal]
    list(Proposal.objects.in_project(project_id).filter(id__in=ids).select_for_update().order_by("id"))
    locked_facts(project_id, [side.fact.id for side in sides if side.fact])
    conflict = Conflict.objects.filter(project_id=project_id, id=conflict_id).select_for_update().first()
    if conflict is None:
        raise NotFound("not_found", "There is no such conflict in this project.")
    if conflict.settled_at is not None:
        raise Moved("conflict_settled", "Somebody settled this conflict before; nothing was changed.")
    again = standing(project_id, conflict_id)
    if seen_as(again) != seen or seen_as(again) != seen_as(sides):
        raise Moved("conflict_moved", "A side changed since you read it; nothing was changed. Here it is as it is now.")
    return conflict, again


def _note(note: str) -> str:
    note = one_line(note)
    if len(note) > MAX_NOTE:
        raise Invalid("too_long", f"A note has at most {MAX_NOTE} characters.", pointer="/note")
    if screen(note).secrets:
        raise Invalid("secret", "This holds a password or a key.", pointer="/note")
    return note


def _named(sides: list[Side], ref: str) -> Side:
    side = next((side for side in sides if side.ref == ref), None)
    if side is None:
        raise Invalid("unknown_choice", "Choose one of the sides.", pointer="/keep")
    return side


def _places(sides: list[Side], wanted: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The places that differ from where the sides are, by name."""
    return {
        side.ref: wanted[side.ref]
        for side in sides
        if side.ref in wanted and wanted[side.ref] != (side.row.scope, side.row.scope_id)
    }


def _item(conflict: Conflict, work: Settling) -> dict[str, Any]:
    facts = Fact.objects.in_project(work.project_id).filter(id__in=work.facts).order_by("id")
    return {
        "conflict": conflict.id,
        "facts": [fact.id for fact in facts],
        "now": {str(fact.id): state_of(fact) for fact in facts if fact.is_current},
        "closed": [[fact.id, fact.superseded_by_id] for fact in facts if fact.id in work.closed],
        "made": sorted(work.made),
        "proposals": [str(proposal_id) for proposal_id in work.proposals],
        "held": [str(proposal_id) for proposal_id in work.held],
    }
