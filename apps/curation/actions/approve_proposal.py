"""A reviewer says yes: the statement becomes a fact, in the same transaction."""

from dataclasses import dataclass
from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.curation.locks import locked_undecided
from apps.curation.models import Proposal, ProposalEvidence, ProposalTarget
from apps.facts.append import Evidence, Origin, append_fact, next_fact_id, place, supersede
from apps.facts.locks import locked_facts
from apps.facts.statement import Statement


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


def approve_proposal(*, actor: Actor, project_id: int, proposal_id: UUID, edits: Edits | None = None) -> Proposal:
    """Append the proposed statement as a fact, supersede its targets, and close the proposal as applied.

    Where a current fact says the same already, the evidence goes to that fact. If a target was closed meanwhile the
    proposal becomes ``conflicted`` and nothing else changes: the caller sees it in the returned state. Raises
    NotFound, Conflict ``proposal_decided``, and Invalid for edits that can't be stored or a missing subject or agent.
    """
    require(actor, "proposals.approve", project_id=project_id)
    edits = edits or Edits()
    with bind(project_id):
        proposal = locked_undecided(project_id, proposal_id)
        if "secret" in proposal.flags:
            raise Conflict("secret", "A proposal that holds a secret can only be rejected.")
        statement = _statement(proposal, edits).cleaned()
        at = now()
        target_ids = list(
            ProposalTarget.objects.filter(project_id=project_id, proposal_id=proposal.id).values_list(
                "fact_id", flat=True
            )
        )
        targets = locked_facts(project_id, target_ids)
        if any(not fact.is_current for fact in targets.values()):
            proposal.state, proposal.decided_at, proposal.reviewer = "conflicted", at, actor.name
            proposal.save(update_fields=["state", "decided_at", "reviewer"])
            record(actor=actor, verb="proposals.conflict", object_type="proposal", object_id=proposal.id)
            return proposal
        placed = place(project_id, statement.scope, statement.scope_id, statement.agent_name)
        # A statement that moved to another scope no longer replaces what it would have replaced there.
        replaced = [
            fact for fact in targets.values() if (fact.scope, fact.scope_id) == (statement.scope, placed.scope_id)
        ]
        new_id = next_fact_id()
        if replaced:
            supersede(replaced, new_id)
        fact, created = append_fact(
            project_id=project_id,
            statement=statement,
            placed=placed,
            origin=Origin(
                source="dream" if proposal.origin == "dream" else "learned",
                speaker=proposal.speaker,
                trust=proposal.trust,
                observed_at=proposal.observed_at,
                source_trace_id=proposal.source_trace_id,
                proposal_id=proposal.id,
            ),
            approved_by=actor.name,
            evidence=_evidence(project_id, proposal),
            fact_id=new_id,
        )
        if not created and replaced:
            raise Conflict("fact_exists", f"Fact #{fact.id} says this already; reject the proposal as a duplicate.")
        proposal.state, proposal.decided_at, proposal.reviewer, proposal.fact = (
            "applied",
            at,
            actor.name,
            fact,
        )
        proposal.save(update_fields=["state", "decided_at", "reviewer", "fact"])
        record(
            actor=actor,
            verb="proposals.approve",
            object_type="proposal",
            object_id=proposal.id,
            data={
                "fact": fact.id,
                "created": created,
                "edited": edits != Edits(),
                "supersedes": [old.id for old in replaced],
            },
        )
    return proposal


def _statement(proposal: Proposal, edits: Edits) -> Statement:
    scope = edits.scope or proposal.scope
    scope_id = edits.scope_id if edits.scope_id is not None else proposal.scope_id
    if edits.scope and edits.scope != proposal.scope and edits.scope_id is None:
        scope_id = ""
    if scope == "user" and not scope_id.strip():
        raise Invalid("subject_required", "Say which user this is about.", pointer="/scope_id")
    if scope == "agent" and not scope_id.strip():
        raise Invalid("subject_required", "Choose the agent that is told.", pointer="/scope_id")
    return Statement(
        content=edits.content if edits.content is not None else proposal.content,
        scope=scope,
        scope_id=scope_id,
        attribute=proposal.attribute,
        category=edits.category or proposal.category,
        memory_type=proposal.memory_type,
        confidence=edits.confidence if edits.confidence is not None else proposal.confidence,
        importance=edits.importance if edits.importance is not None else proposal.importance,
        sensitivity=edits.sensitivity or proposal.sensitivity,
    )


def _evidence(project_id: int, proposal: Proposal) -> list[Evidence]:
    return [
        Evidence(
            trace_id=row.trace_id,
            message_id=row.message_id,
            quote=row.quote,
            start=row.start,
            end=row.end,
            observed_at=row.observed_at,
        )
        for row in ProposalEvidence.objects.filter(project_id=project_id, proposal_id=proposal.id).order_by("id")
    ]
