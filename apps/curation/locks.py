"""Row locks of the review, in one fixed order: the proposal, then the facts it targets."""

from uuid import UUID

from apps.core.errors import Conflict, NotFound
from apps.curation.models import Proposal


def locked_undecided(project_id: int, proposal_id: UUID) -> Proposal:
    """The proposal, locked. Raises NotFound, and Conflict ``proposal_decided`` naming what became of it."""
    proposal = Proposal.objects.select_for_update().filter(project_id=project_id, id=proposal_id).first()
    if proposal is None:
        raise NotFound("not_found", "There is no such proposal in this project.")
    if proposal.state not in {"pending", "quarantined"}:
        raise Conflict("proposal_decided", f"This proposal was {proposal.state} before; nothing was changed.")
    return proposal
