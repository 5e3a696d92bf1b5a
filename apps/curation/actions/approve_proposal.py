"""A reviewer says yes: the statement becomes a fact, in the same transaction."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.text import norm_hash
from apps.core.transactions import bind
from apps.curation.conflicts import conflicts_of, contradicted, settle, touching
from apps.curation.evidence import evidence_of
from apps.curation.locks import locked_undecided
from apps.curation.models import Proposal, ProposalTarget
from apps.curation.noting import Item, before, noted
from apps.curation.waiting import slot_of_write
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.append import Origin, Placed, append_fact, next_fact_id, place
from apps.facts.append import supersede as close_for
from apps.facts.corroborate import corroborate
from apps.facts.keyed import PLAIN, value_now
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import Statement, narrowest
from apps.tenancy.tombstones import buried, fact_digest, subject_digest

SOURCES = {"dream": "dream", "import": "import"}
"""Where a fact comes from by the origin of its proposal; else it was learned."""


@dataclass(frozen=True, kw_only=True)
class Edits:
    """What the reviewer changed while approving; None leaves a value as proposed."""

    content: str | None = None
    scope: str | None = None
    scope_id: str | None = None
    category: str | None = None
    sensitivity: str | None = None
    confidence: float | None = None
    importance: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def approve_proposal(
    *,
    actor: Actor,
    project_id: int,
    proposal_id: UUID,
    edits: Edits | None = None,
    same_as: int | None = None,
    supersede: bool | None = None,
    items: list[Item] | None = None,
) -> Proposal:
    """Append the proposed statement as a fact, supersede its targets, and close the proposal as applied.

    ``same_as`` is a current fact of the same scope id that says this: it gets the evidence, and no fact is made. A
    proposal flagged ``duplicate`` is approved so into its target, unless it is edited or ``supersede`` is given.
    ``supersede``: True replaces every fact this contradicts or says again, False makes a fact of its own beside them.
    One that contradicts a fact it may not replace by itself, because it is trusted less or was said earlier, needs
    that word, or edits that move it to another scope. A ``retire`` closes its target instead; it takes no edits.

    Where a current fact says the same words already, the evidence goes to that fact. If a target was closed meanwhile
    the proposal becomes ``conflicted`` and nothing else changes: the caller sees it in the returned state. Conflicts
    the proposal stands in are settled when nothing waits in them any more. Raises NotFound, Conflict
    ``proposal_decided``, ``secret``, ``forgotten``, ``fact_moved`` and ``fact_exists``, and Invalid for edits that can't be stored, a
    missing subject or agent, ``choice_required`` where ``supersede`` has to be said, ``nothing_to_replace``,
    ``other_scope`` and ``not_editable``.

    ``items`` gets what taking it back needs (`apps.curation.changes`), unless the proposal became ``conflicted``.
    """
    require(actor, "proposals.approve", project_id=project_id)
    edits = edits or Edits()
    with bind(project_id):
        proposal = locked_undecided(project_id, proposal_id)
        if "secret" in proposal.flags:
            raise Conflict("secret", "A proposal that holds a secret can only be rejected.")
        target_ids = ProposalTarget.objects.filter(project_id=project_id, proposal_id=proposal.id)
        targets = locked_facts(project_id, target_ids.values_list("fact_id", flat=True))
        then = before(proposal) if items is not None else None
        proposal = _decided(actor, proposal, targets, edits, same_as, supersede)
        if items is not None and then is not None and proposal.state == "applied":
            items.append(noted(then, proposal))
        return proposal


def _decided(
    actor: Actor,
    proposal: Proposal,
    targets: dict[int, Fact],
    edits: Edits,
    same_as: int | None,
    supersede: bool | None,
) -> Proposal:
    as_proposed = edits == Edits() and supersede is None
    if proposal.op == "retire":
        if not as_proposed or same_as is not None:
            raise Invalid("not_editable", "There is nothing to edit in retiring a fact.", pointer="/content")
        return _retire(actor, proposal, targets)
    if same_as is not None:
        if not as_proposed:
            raise Invalid("not_editable", "What is the same as a fact is not edited.", pointer="/same_as")
        return _merge(actor, proposal, locked_facts(proposal.project_id, [same_as]).get(same_as))
    if as_proposed and proposal.op == "add" and targets:
        if _any_closed(targets):
            return _overtaken(actor, proposal)
        return _merge(actor, proposal, targets[min(targets)])
    return _append(actor, proposal, edits, supersede, targets)


def _append(
    actor: Actor, proposal: Proposal, edits: Edits, supersede: bool | None, targets: dict[int, Fact]
) -> Proposal:
    project_id = proposal.project_id
    slot, said_from = slot_of_write(proposal) or (PLAIN, SOURCES.get(proposal.origin, "learned"))
    if slot.key is not None and edits != replace(edits, content=None, scope=None, scope_id=None):
        raise Invalid("not_editable", "The value of a key is approved as it is, or rejected.", pointer="/content")
    statement = _statement(proposal, edits).cleaned()
    against = contradicted(proposal) if "conflict" in proposal.flags else []
    against_too = locked_facts(project_id, [fact.id for fact in against if fact.id not in targets])
    placed = place(project_id, statement.scope, statement.scope_id, statement.agent_name)
    _refuse_forgotten(proposal, statement, placed)
    # A statement that moved to another scope no longer replaces what it would have replaced there.
    moved = (statement.scope, placed.scope_id) != (proposal.scope, proposal.scope_id)
    replaced: dict[int, Fact] = {}
    if slot.key is not None and proposal.op == "add" and value_now(project_id, statement.scope, placed, slot):
        # Somebody gave the key another value since.
        return _overtaken(actor, proposal)
    if not moved and supersede is not False:
        replaced = targets if proposal.op == "supersede" or supersede else {}
        if _any_closed(replaced):
            return _overtaken(actor, proposal)
        if supersede:
            replaced = replaced | against_too
            if not replaced:
                raise Invalid("nothing_to_replace", "It contradicts no fact that is told now.", pointer="/supersede")
        elif against_too:
            numbers = ", ".join(f"#{fact_id}" for fact_id in sorted(against_too))
            raise Invalid(
                "choice_required",
                f"It contradicts {numbers}, which it may not replace by itself. Say whether it replaces that, stands"
                " beside it, or belongs to another scope.",
                pointer="/supersede",
            )
    new_id = next_fact_id()
    if replaced:
        # The new version is told no wider than what it replaces.
        statement = replace(
            statement,
            purposes=narrowest([statement.purposes, *(fact.purposes for fact in replaced.values())]),
            task_types=narrowest([statement.task_types, *(fact.task_types for fact in replaced.values())]),
        ).cleaned()
        close_for(list(replaced.values()), new_id)
    fact, created = append_fact(
        project_id=project_id,
        statement=statement,
        placed=placed,
        origin=Origin(
            source=said_from,
            speaker=proposal.speaker,
            trust=proposal.trust,
            observed_at=proposal.observed_at,
            source_trace_id=proposal.source_trace_id,
            proposal_id=proposal.id,
        ),
        approved_by=actor.name,
        evidence=evidence_of(proposal),
        fact_id=new_id,
        slot=slot,
    )
    if not created and replaced:
        raise Conflict("fact_exists", f"Fact #{fact.id} says this already; reject the proposal as a duplicate.")
    _close(actor, proposal, "applied", fact)
    data = {"fact": fact.id, "created": created, "edited": edits != Edits(), "supersedes": sorted(replaced)}
    record(actor=actor, verb="proposals.approve", object_type="proposal", object_id=proposal.id, data=data)
    wrote_new = bool(replaced) and norm_hash(fact.content) != bytes(proposal.norm_hash)
    settle(
        project_id,
        conflicts_of(proposal),
        by=actor.name,
        left_alone="wrote_new" if wrote_new else "kept_one",
    )
    return proposal


def _refuse_forgotten(proposal: Proposal, statement: Statement, placed: Placed) -> None:
    """What was said before its words or its person were forgotten stays forgotten, whoever edits it into shape."""
    digests = [fact_digest(proposal.project_id, statement.scope, placed.scope_id, statement.content)]
    if statement.scope == "user":
        digests.append(subject_digest(proposal.project_id, "user", placed.scope_id))
    if buried(proposal.project_id, [(digest, proposal.observed_at) for digest in digests]):
        raise Conflict("forgotten", "This was forgotten after it was said; it can't be approved.")


def _merge(actor: Actor, proposal: Proposal, fact: Fact | None) -> Proposal:
    if fact is None:
        raise NotFound("not_found", "There is no such fact in this project.")
    if not fact.is_current:
        raise Conflict("fact_moved", "The fact was changed by somebody else; nothing was saved.")
    if (fact.scope, fact.scope_id) != (proposal.scope, proposal.scope_id):
        raise Invalid("other_scope", f"Fact #{fact.id} is told to others than this would be.", pointer="/same_as")
    corroborate(fact, evidence_of(proposal))
    _close(actor, proposal, "applied", fact)
    data = {"fact": fact.id, "created": False, "edited": False, "supersedes": [], "same_as": fact.id}
    record(actor=actor, verb="proposals.approve", object_type="proposal", object_id=proposal.id, data=data)
    settle(proposal.project_id, conflicts_of(proposal), by=actor.name)
    return proposal


def _retire(actor: Actor, proposal: Proposal, targets: dict[int, Fact]) -> Proposal:
    if not targets or _any_closed(targets):
        return _overtaken(actor, proposal)
    fact = targets[min(targets)]
    retire_fact(actor=actor, project_id=proposal.project_id, fact_id=fact.id, reason="policy")
    _close(actor, proposal, "applied", fact)
    data = {"fact": fact.id, "created": False, "edited": False, "supersedes": [], "retires": fact.id}
    record(actor=actor, verb="proposals.approve", object_type="proposal", object_id=proposal.id, data=data)
    settle(proposal.project_id, touching(proposal.project_id, [fact.id], []), by=actor.name)
    return proposal


def _overtaken(actor: Actor, proposal: Proposal) -> Proposal:
    _close(actor, proposal, "conflicted", None)
    record(actor=actor, verb="proposals.conflict", object_type="proposal", object_id=proposal.id)
    settle(proposal.project_id, conflicts_of(proposal), by=actor.name)
    return proposal


def _any_closed(facts: dict[int, Fact]) -> bool:
    return any(not fact.is_current for fact in facts.values())


def _close(actor: Actor, proposal: Proposal, state: str, fact: Fact | None) -> None:
    proposal.state, proposal.decided_at, proposal.reviewer, proposal.fact = state, now(), actor.name, fact
    proposal.save(update_fields=["state", "decided_at", "reviewer", "fact"])


def _statement(proposal: Proposal, edits: Edits) -> Statement:
    scope = edits.scope or proposal.scope
    scope_id = edits.scope_id if edits.scope_id is not None else proposal.scope_id
    if edits.scope and edits.scope != proposal.scope and edits.scope_id is None:
        scope_id = ""
    if scope == "user" and not scope_id.strip():
        raise Invalid("subject_required", "Say which user this is about.", pointer="/scope_id")
    if scope == "agent" and not scope_id.strip():
        raise Invalid("subject_required", "Choose the agent that is told.", pointer="/scope_id")
    # What an agent wrote for a user is told through it alone, unless a reviewer tells it elsewhere.
    through = proposal.agent if proposal.agent_id and scope == proposal.scope != "agent" else None
    return Statement(
        agent_name=through.name if through else "",
        content=edits.content if edits.content is not None else proposal.content,
        scope=scope,
        scope_id=scope_id,
        attribute=proposal.attribute,
        category=edits.category or proposal.category,
        memory_type=proposal.memory_type,
        confidence=edits.confidence if edits.confidence is not None else proposal.confidence,
        importance=edits.importance if edits.importance is not None else proposal.importance,
        sensitivity=edits.sensitivity or proposal.sensitivity,
        valid_from=edits.valid_from or proposal.valid_from,
        valid_to=edits.valid_to or proposal.valid_to,
        purposes=proposal.purposes,
        task_types=proposal.task_types,
    )
