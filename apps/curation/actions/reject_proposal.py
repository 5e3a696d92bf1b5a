"""A reviewer says no, and why."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.conflicts import conflicts_of, settle
from apps.curation.locks import locked_undecided
from apps.curation.models import REJECT_REASONS, Proposal
from apps.curation.noting import Item, before, noted


def reject_proposal(
    *, actor: Actor, project_id: int, proposal_id: UUID, reason: str, items: list[Item] | None = None
) -> Proposal:
    """Close the proposal; the same words in the same scope are not proposed again, a fact that was to be retired is
    kept for good, and a conflict in which nothing else waits is settled. ``items`` gets what taking it back needs.

    Raises NotFound, Invalid for an unknown reason, and Conflict ``proposal_decided``.
    """
    require(actor, "proposals.reject", project_id=project_id)
    if reason not in REJECT_REASONS:
        raise Invalid("unknown_choice", "Choose one of the reasons.", pointer="/reason")
    with bind(project_id):
        proposal = locked_undecided(project_id, proposal_id)
        then = before(proposal)
        proposal.state, proposal.reason = "rejected", reason
        proposal.decided_at, proposal.reviewer = now(), actor.name
        proposal.save(update_fields=["state", "reason", "decided_at", "reviewer"])
        record(
            actor=actor,
            verb="proposals.reject",
            object_type="proposal",
            object_id=proposal.id,
            reason=reason,
        )
        settle(project_id, conflicts_of(proposal), by=actor.name)
        if items is not None:
            items.append(noted(then, proposal))
    return proposal
