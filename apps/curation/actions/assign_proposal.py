"""Say who should decide a proposal. A hint to people: anybody who may decide still may."""

from uuid import UUID

from apps.access.actor import Actor
from apps.access.policies import require
from apps.access.queries import members_who_may
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.locks import locked_undecided
from apps.curation.models import Proposal


def assign_proposal(*, actor: Actor, project_id: int, proposal_id: UUID, assignee: int | None) -> Proposal:
    """Give an undecided proposal to a member who may decide it, by the user's id; None takes it from whoever has it.

    Raises NotFound, Conflict ``proposal_decided``, and Invalid ``unknown_member`` for anybody else.
    """
    require(actor, "proposals.assign", project_id=project_id)
    with bind(project_id):
        if assignee is not None and not members_who_may(project_id, "proposals.approve").filter(id=assignee).exists():
            raise Invalid("unknown_member", "Choose a member who may decide proposals.", pointer="/assignee")
        proposal = locked_undecided(project_id, proposal_id)
        if proposal.assignee != assignee:
            proposal.assignee = assignee
            proposal.save(update_fields=["assignee"])
            data = {"assignee": assignee}
            record(actor=actor, verb="proposals.assign", object_type="proposal", object_id=proposal.id, data=data)
    return proposal
