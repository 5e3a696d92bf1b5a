"""A link that is not to be used any more."""

from apps.access.actor import Actor
from apps.access.locks import lock_members
from apps.access.models import Invitation
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind


def withdraw_invitation(*, actor: Actor, project_id: int, invitation_id: int) -> Invitation:
    """End an open invitation. Raises NotFound, and Conflict for one that was accepted or withdrawn before."""
    require(actor, "members.change", project_id=project_id)
    with bind(project_id):
        lock_members(project_id)
        invitation = Invitation.objects.filter(project_id=project_id, id=invitation_id).first()
        if invitation is None:
            raise NotFound("not_found", "There is no such invitation in this project.")
        if invitation.accepted_at or invitation.revoked_at:
            raise Conflict("invitation_over", "This invitation was accepted or withdrawn before.")
        invitation.revoked_at = now()
        invitation.save(update_fields=["revoked_at"])
        record(actor=actor, verb="members.withdraw", object_type="invitation", object_id=invitation.id)
    return invitation
