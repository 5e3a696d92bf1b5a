"""A person decides one proposal, and may take that back for a while."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.changes import record_change
from apps.curation.models import Change, Proposal
from apps.curation.noting import Item


def decide_proposal(
    *,
    actor: Actor,
    project_id: int,
    proposal_id: UUID,
    reject: str | None = None,
    edits: Edits | None = None,
    same_as: int | None = None,
    supersede: bool | None = None,
) -> tuple[Proposal, Change | None]:
    """Reject it for the reason ``reject``, or else approve it; the rest means what it means to `approve_proposal`.

    Locks, audit and errors are those of the two verbs. The change takes it back; None where the proposal had been
    overtaken, which nobody decided.
    """
    verb = "proposals.approve" if reject is None else "proposals.reject"
    require(actor, verb, project_id=project_id)
    items: list[Item] = []
    with bind(project_id):
        if reject is None:
            proposal = approve_proposal(
                actor=actor,
                project_id=project_id,
                proposal_id=proposal_id,
                edits=edits,
                same_as=same_as,
                supersede=supersede,
                items=items,
            )
        else:
            proposal = reject_proposal(
                actor=actor, project_id=project_id, proposal_id=proposal_id, reason=reject, items=items
            )
        return proposal, record_change(actor=actor, verb=verb, items=items) if items else None
