"""Give a user a role in a project."""

from apps.access.actor import Actor
from apps.access.models import Membership, Role, User
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.transactions import bind


def grant_role(*, actor: Actor, project_id: int, user: User, role: str) -> Membership:
    """Add one role; a role he has already is left as it is. Raises Invalid for an unknown role, and NotAllowed
    ``own_role`` for one of one's own."""
    require(actor, "members.change", project_id=project_id)
    if actor.kind == "user" and int(actor.id) == user.id:
        detail = "Nobody gives himself a role. Ask another administrator."
        raise Refused(actor, "members.change", detail, project_id, code="own_role")
    if role not in Role.values:
        raise Invalid("unknown_role", "This is not a role.", pointer="/role")
    with bind(project_id):
        membership, created = Membership.objects.get_or_create(user=user, project_id=project_id, role=role)
        if created:
            record(
                actor=actor,
                verb="members.change",
                object_type="user",
                object_id=user.id,
                data={"granted": role},
            )
    return membership
