"""Taking back what was decided about conflicts and duplicates. The rows are locked by whoever calls."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.curation.changes import state_of
from apps.curation.conflicts import agreed, contest
from apps.curation.models import Change, Conflict, ConflictSide, NotDuplicates, Proposal, Uncompared
from apps.curation.reopening import Left, open_again
from apps.curation.standing import standing
from apps.facts.append import append_copy, next_fact_id, supersede
from apps.facts.models import Fact, FactDerivation
from apps.facts.queries import newest_versions

Item = dict[str, Any]


def undo_kept_one(actor: Actor, change: Change, item: Item) -> Left:
    """Put the closed ones back beside the kept fact, which keeps their evidence: it was said, and it says the same. Conflicts
    that ended with them are opened again; what of these stays settled, and why."""
    project_id = change.project_id
    facts = facts_by_id(project_id, item["facts"])
    unmoved(facts, {str(item["keep"]): item["now"]})
    copies, settled = [], item.get("settled", [])
    for fact_id in item["closed"]:
        copies.append(copy_of(actor, change, facts[fact_id]))
        sides = ConflictSide.objects.filter(project_id=project_id, fact_id=fact_id)
        sides.filter(Q(conflict__settled_at=None) | Q(conflict__in=settled)).update(fact_id=copies[-1])
    left = open_again(actor, change, settled)
    agreed(project_id, [item["keep"], *copies])
    return left


def undo_part(actor: Actor, change: Change, item: Item) -> None:
    """Let them be asked about again."""
    ids = item["facts"]
    pairs = NotDuplicates.objects.filter(project_id=change.project_id, first_id__in=ids, second_id__in=ids)
    if not pairs.filter(said_by=change.made_by).delete()[0]:
        raise Moved("fact_gone", "They were forgotten since.")
    _compare_again(change.project_id, ids)
    record(actor=actor, verb="duplicates.undo", object_type="fact", object_id=ids[0], data={"facts": ids})


def undo_opening(actor: Actor, change: Change, item: Item) -> None:
    """Take the added facts out of the conflict; one that is left with a single side goes."""
    project_id, ids = change.project_id, item["facts"]
    conflict = conflict_of(project_id, item["conflict"])
    if conflict.settled_at is not None:
        raise Moved("conflict_settled", "The conflict was settled since.")
    rows = ConflictSide.objects.filter(project_id=project_id, conflict=conflict)
    rows.filter(fact_id__in=item["added"]).delete()
    if rows.count() < 2:
        rows.delete()
        conflict.delete()
    agreed(project_id, ids)
    record(actor=actor, verb="conflicts.undo", object_type="conflict", object_id=item["conflict"], data={"facts": ids})


def undo_settlement(actor: Actor, change: Change, item: Item) -> None:
    """Open the conflict again with the sides it had: closed facts as copies, decided proposals waiting."""
    project_id = change.project_id
    conflict = conflict_of(project_id, item["conflict"])
    if conflict.settled_at is None:
        raise Moved("conflict_moved", "The conflict was opened again since.")
    key = {name: getattr(conflict, name) for name in ("subject_id", "agent_id", "scope", "scope_id", "attribute")}
    if Conflict.objects.filter(project_id=project_id, settled_at=None, **key).exists():
        raise Moved("conflict_moved", "Another conflict about this was opened since.")
    facts = facts_by_id(project_id, item["facts"])
    unmoved(facts, item["now"])
    proposals = list(Proposal.objects.in_project(project_id).filter(id__in=item["proposals"]))
    if len(proposals) != len(item["proposals"]) or any(one.reviewer != change.made_by for one in proposals):
        raise Moved("proposal_decided", "A proposal was decided anew or forgotten since.")
    conflict.settled_at, conflict.settled_by, conflict.settlement, conflict.note = None, "", "", ""
    conflict.save(update_fields=["settled_at", "settled_by", "settlement", "note"])
    copies = _reopened_facts(actor, change, conflict, facts, item)
    held = {UUID(text) for text in item["held"]}
    for proposal in proposals:
        proposal.state = "quarantined" if proposal.id in held else "pending"
        proposal.decided_at, proposal.reviewer, proposal.reason, proposal.fact_id = None, "", "", None
        proposal.save(update_fields=["state", "decided_at", "reviewer", "reason", "fact"])
    contest(project_id, [side.fact.id for side in standing(project_id, conflict.id) if side.fact])
    data = {"copies": copies}
    record(actor=actor, verb="conflicts.undo", object_type="conflict", object_id=conflict.id, data=data)


def _reopened_facts(actor: Actor, change: Change, conflict: Conflict, facts: dict[int, Fact], item: Item) -> list[int]:
    """Close what the settlement made, put back what it closed; the numbers of the copies."""
    made, copies = set(item["made"]), []
    for fact_id, by_id in item["closed"]:
        copies.append(copy_of(actor, change, facts[fact_id], instead_of=facts[by_id] if by_id in made else None))
        made.discard(by_id)
        ConflictSide.objects.filter(project_id=conflict.project_id, conflict=conflict, fact_id=fact_id).update(
            fact_id=copies[-1]
        )
    Fact.objects.in_project(conflict.project_id).filter(id__in=made).update(retired_at=now(), retired_reason="undone")
    return copies


def copy_of(actor: Actor, change: Change, old: Fact, *, instead_of: Fact | None = None) -> int:
    """Append a copy of a closed row, which it is derived from: forgetting one reaches the other."""
    copy_id = next_fact_id()
    if instead_of is not None:
        supersede([instead_of], copy_id)
    copy = append_copy(old, fact_id=copy_id, approved_by=actor.name)
    FactDerivation.objects.create(project_id=old.project_id, child_id=copy.id, parent_id=old.id)
    data = {"of": change.verb, "copies": old.id} | ({"supersedes": [instead_of.id]} if instead_of else {})
    record(actor=actor, verb="facts.undo", object_type="fact", object_id=copy.id, data=data)
    return copy.id


def facts_by_id(project_id: int, ids: Iterable[int]) -> dict[int, Fact]:
    wanted = set(ids)
    found = Fact.objects.in_project(project_id).in_bulk(wanted)
    if len(found) != len(wanted):
        raise Moved("fact_gone", "One of the facts was forgotten since.")
    return found


def unmoved(facts: dict[int, Fact], states: dict[str, Any]) -> None:
    for fact_id, state in states.items():
        if state_of(facts[int(fact_id)]) != state:
            raise Moved("fact_moved", f"#{fact_id} was changed since.")


def conflict_of(project_id: int, conflict_id: int) -> Conflict:
    conflict = Conflict.objects.filter(project_id=project_id, id=conflict_id).select_for_update().first()
    if conflict is None:
        raise Moved("conflict_gone", "The conflict is no longer there.")
    return conflict


def _compare_again(project_id: int, fact_ids: Iterable[int]) -> None:
    newest = newest_versions(project_id, list(fact_ids))
    current = Fact.objects.in_project(project_id).current().filter(id__in=newest).values_list("id", flat=True)
    Uncompared.objects.bulk_create(
        [Uncompared(project_id=project_id, fact_id=fact_id) for fact_id in current], ignore_conflicts=True
    )
