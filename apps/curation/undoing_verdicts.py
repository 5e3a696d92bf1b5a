"""Taking back what was decided about a proposal: it waits again. The rows are locked by whoever calls."""

from datetime import datetime

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict as Moved
from apps.curation.conflicts import contest
from apps.curation.models import Change, Conflict, ConflictSide, Proposal, ProposalTarget
from apps.curation.noting import Item, plain
from apps.curation.standing import standing
from apps.curation.undoing_sides import conflict_of, copy_of, facts_by_id, unmoved
from apps.facts.models import Fact, FactSource


def undo_approval(actor: Actor, change: Change, item: Item) -> None:
    """The fact it made is retired, and what that replaced comes back as a copy; a fact it was merged into loses the
    evidence again; one it retired is told again, as a copy."""
    proposal = _as_decided(change, item)
    facts = facts_by_id(change.project_id, [item["fact"], *item["facts"]])
    unmoved(facts, {str(item["fact"]): item["now"]})
    fact = facts[item["fact"]]
    if fact.corroborations != item["heard"]:
        raise Moved("fact_moved", f"#{fact.id} was heard again since.")
    if item["made"]:
        _unmake(actor, change, fact, [facts[one] for one in item["facts"]], proposal)
    elif proposal.op == "retire":
        _moved_to(proposal, fact.id, copy_of(actor, change, fact, instead_of=fact))
    else:
        _unmerge(actor, change, fact, item)
    _wait_again(actor, change, proposal, item)


def undo_rejection(actor: Actor, change: Change, item: Item) -> None:
    _wait_again(actor, change, _as_decided(change, item), item)


def _as_decided(change: Change, item: Item) -> Proposal:
    proposal = Proposal.objects.in_project(change.project_id).filter(id=item["proposal"]).first()
    if proposal is None:
        raise Moved("proposal_gone", "It was forgotten since.")
    if (proposal.state, proposal.reviewer, plain(proposal.decided_at)) != (item["state"], change.made_by, item["at"]):
        raise Moved("proposal_decided", "It was decided anew since.")
    return proposal


def _unmake(actor: Actor, change: Change, made: Fact, replaced: list[Fact], proposal: Proposal) -> None:
    if not replaced:
        made.retired_at, made.retired_reason = now(), "undone"
        made.save(update_fields=["retired_at", "retired_reason"])
        data = {"of": change.verb}
        record(actor=actor, verb="facts.retire", object_type="fact", object_id=made.id, reason="undone", data=data)
    instead_of: Fact | None = made
    for old in replaced:
        # The first one takes the place of what replaced it, so that its history goes on.
        _moved_to(proposal, old.id, copy_of(actor, change, old, instead_of=instead_of))
        instead_of = None


def _moved_to(proposal: Proposal, old: int, copy: int) -> None:
    """What named the closed version names its copy."""
    named = {"project_id": proposal.project_id, "fact_id": old}
    ProposalTarget.objects.filter(**named, proposal=proposal).update(fact_id=copy)
    ConflictSide.objects.filter(**named).update(fact_id=copy)


def _unmerge(actor: Actor, change: Change, fact: Fact, item: Item) -> None:
    FactSource.objects.filter(project_id=change.project_id, fact_id=fact.id, id__in=item["sources"]).delete()
    seen = item["seen_before"]
    fact.corroborations, fact.last_seen_at = item["heard_before"], datetime.fromisoformat(seen) if seen else None
    fact.save(update_fields=["corroborations", "last_seen_at"])
    data = {"of": change.verb, "heard": fact.corroborations}
    record(actor=actor, verb="facts.undo", object_type="fact", object_id=fact.id, data=data)


def _wait_again(actor: Actor, change: Change, proposal: Proposal, item: Item) -> None:
    proposal.state, proposal.decided_at, proposal.reviewer = item["was"], None, ""
    proposal.reason, proposal.fact = "", None
    proposal.save(update_fields=["state", "decided_at", "reviewer", "reason", "fact"])
    for conflict_id in item["conflicts"]:
        _reopen(change.project_id, conflict_id)
    data = {"of": change.verb, "conflicts": item["conflicts"]}
    record(actor=actor, verb="proposals.undo", object_type="proposal", object_id=proposal.id, data=data)


def _reopen(project_id: int, conflict_id: int) -> None:
    conflict = conflict_of(project_id, conflict_id)
    if conflict.settled_at is None:
        return
    key = {name: getattr(conflict, name) for name in ("subject_id", "agent_id", "scope", "scope_id", "attribute")}
    if Conflict.objects.filter(project_id=project_id, settled_at=None, **key).exists():
        raise Moved("conflict_moved", "Another conflict about this was opened since.")
    conflict.settled_at, conflict.settled_by, conflict.settlement = None, "", ""
    conflict.save(update_fields=["settled_at", "settled_by", "settlement"])
    contest(project_id, [side.fact.id for side in standing(project_id, conflict.id) if side.fact])
