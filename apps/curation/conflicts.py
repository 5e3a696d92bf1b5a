"""Statements on one attribute that can't all hold: opened when one is proposed, settled when a person decides."""

from collections.abc import Collection, Iterable
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.core.clock import now
from apps.curation.models import OPEN_STATES, Conflict, ConflictSide, Proposal
from apps.facts.models import Fact
from apps.facts.queries import newest_versions, older_versions

NAMED_BY_ID = frozenset(["session", "other"])
"""Scopes that neither a subject nor an agent nor the project stands for: their conflicts carry the scope id."""


def open_conflict(
    proposal: Proposal, facts: Iterable[Fact], others: Iterable[Proposal], *, attribute: str | None
) -> int | None:
    """Put the proposal beside the facts and the waiting proposals it contradicts, in the one open conflict of its place
    on the attribute (null: nothing they could disagree about, so none is opened); the others are flagged as it is. The
    caller holds the place's lock. Returns the id of a conflict that was not open before."""
    others = list(others)
    for other in others:
        if "conflict" not in other.flags:
            other.flags = sorted([*other.flags, "conflict"])
            other.save(update_fields=["flags"])
    if attribute is None:
        return None
    named = proposal.scope in NAMED_BY_ID
    key: dict[str, Any] = {
        "project_id": proposal.project_id,
        "subject_id": proposal.subject_id,
        "agent_id": proposal.agent_id,
        "scope": proposal.scope if named else "",
        "scope_id": proposal.scope_id if named else "",
        "attribute": attribute,
        "settled_at": None,
    }
    conflict, opened = Conflict.objects.get_or_create(**key)
    shared: dict[str, Any] = {"project_id": proposal.project_id, "conflict": conflict}
    facts = list(facts)
    contest(proposal.project_id, [fact.id for fact in facts])
    sides = [ConflictSide(**shared, fact=fact) for fact in facts]
    sides += [ConflictSide(**shared, proposal=side) for side in (*others, proposal)]
    ConflictSide.objects.bulk_create(sides, ignore_conflicts=True)
    return conflict.id if opened else None


def contest(project_id: int, fact_ids: Collection[int]) -> None:
    """Mark facts as disputed; those that are go on since they were."""
    Fact.objects.in_project(project_id).filter(id__in=fact_ids, contested_at=None).update(contested_at=now())


def conflicts_of(proposal: Proposal) -> list[int]:
    """Ids of the conflicts the proposal is a side of, settled ones too."""
    sides = ConflictSide.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id)
    return sorted(sides.values_list("conflict_id", flat=True))


def change_of(fact: Fact) -> str:
    """What a conflict is about whose proposal says it changes this fact, though it is on another attribute or none."""
    return f"fact-{fact.id}"


def contradicted(proposal: Proposal) -> list[Fact]:
    """The active facts on the other sides of the proposal's conflicts, as they are now: a fact that was edited since
    counts as its newest version, a proposal that was approved as its fact."""
    project_id = proposal.project_id
    sides = list(_sides(project_id, conflicts_of(proposal)).exclude(proposal_id=proposal.id))
    place = {"scope": proposal.scope, "scope_id": proposal.scope_id}
    return list(Fact.objects.in_project(project_id).active().filter(id__in=_facts(project_id, sides), **place))


def settle(
    project_id: int,
    conflict_ids: Collection[int],
    *,
    by: str,
    left_alone: Literal["kept_one", "wrote_new", "moot"] = "kept_one",
) -> list[int]:
    """Close each of these conflicts that is none any more; returns the ids of those. ``by`` names who decided.

    It stays open while a proposal waits beside another side, and while facts stand in it that a person put against
    each other. Other facts that stand beside each other were kept both, one side that is left alone is ``left_alone``,
    and without any side it is moot.
    """
    closed = []
    for conflict in (
        Conflict.objects.select_for_update()
        .filter(project_id=project_id, id__in=conflict_ids, settled_at=None)
        .order_by("id")
    ):
        sides = list(_sides(project_id, [conflict.id]))
        waiting = sum(side.proposal is not None and side.proposal.state in OPEN_STATES for side in sides)
        standing = _facts(project_id, sides)
        facts = Fact.objects.in_project(project_id).current().filter(id__in=standing).count()
        if waiting + facts > 1 and (waiting or conflict.opened_by):
            continue
        alone = left_alone if waiting + facts else "moot"
        conflict.settlement = "kept_both" if facts > 1 else alone
        conflict.settled_at, conflict.settled_by = now(), by
        conflict.save(update_fields=["settlement", "settled_at", "settled_by"])
        agreed(project_id, standing)
        closed.append(conflict.id)
    return closed


def touching(project_id: int, fact_ids: Collection[int], proposal_ids: Collection[UUID]) -> list[int]:
    """Ids of the conflicts that have one of these on a side."""
    sides = ConflictSide.objects.filter(project_id=project_id)
    found = sides.filter(fact_id__in=fact_ids) | sides.filter(proposal_id__in=proposal_ids)
    return sorted(set(found.values_list("conflict_id", flat=True)))


def clear_away(project_id: int, conflict_ids: Collection[int], *, by: str) -> None:
    """After sides were deleted: a conflict with one side is moot, one with none is deleted, since its attribute says
    something about what is gone."""
    ours = Conflict.objects.filter(project_id=project_id, id__in=conflict_ids)
    ours.filter(sides=None).delete()
    settle(project_id, conflict_ids, by=by, left_alone="moot")


def agreed(project_id: int, fact_ids: Collection[int]) -> None:
    """Take the mark from facts on which no open conflict is left, of an earlier version of theirs either."""
    for fact in Fact.objects.in_project(project_id).filter(id__in=fact_ids).exclude(contested_at=None).order_by("id"):
        versions = [fact.id, *older_versions(project_id, fact.id)]
        open_sides = ConflictSide.objects.filter(project_id=project_id, conflict__settled_at=None)
        if not open_sides.filter(Q(fact_id__in=versions) | Q(proposal__fact_id__in=versions)).exists():
            fact.contested_at = None
            fact.save(update_fields=["contested_at"])


def _sides(project_id: int, conflict_ids: Collection[int]) -> QuerySet[ConflictSide]:
    return ConflictSide.objects.filter(project_id=project_id, conflict_id__in=conflict_ids).select_related("proposal")


def _facts(project_id: int, sides: Iterable[ConflictSide]) -> list[int]:
    ids = {side.proposal.fact_id if side.proposal else side.fact_id for side in sides}
    return newest_versions(project_id, {fact_id for fact_id in ids if fact_id is not None})
