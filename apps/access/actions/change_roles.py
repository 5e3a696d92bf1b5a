"""What a member may do from now on."""

from collections.abc import Collection

from apps.access.actor import Actor
from apps.access.locks import lock_members
from apps.access.models import Membership, Role
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind


def change_roles(*, actor: Actor, project_id: int, user_id: int, roles: Collection[str]) -> list[str]:
    """Give a member exactly ``roles``, and return those that changed; none at all ends the membership.

    Nobody gives himself a role, and a project keeps an administrator who can log in. Two who demote each other at the
    same time wait for each other, and the second is refused. Raises Invalid, NotFound, NotAllowed ``own_role`` and
    Conflict ``last_admin``.
    """
    require(actor, "members.change", project_id=project_id)
    wanted = set(roles)
    if wanted - set(Role.values):
        raise Invalid("unknown_role", "This is not a role.", pointer="/roles")
    with bind(project_id):
        lock_members(project_id)
        held = set(Membership.objects.filter(project_id=project_id, user_id=user_id).values_list("role", flat=True))
        if not held:
            raise NotFound("not_found", "There is no such member in this project.")
        granted, removed = wanted - held, held - wanted
        if granted and actor.kind == "user" and int(actor.id) == user_id:
            detail = "Nobody gives himself a role. Ask another administrator."
            raise Refused(actor, "members.change", detail, project_id, code="own_role")
        if Role.ADMIN in removed and not _another_admin(project_id, user_id):
            raise Conflict("last_admin", "This is the project's last administrator. Make somebody else one first.")
        Membership.objects.filter(project_id=project_id, user_id=user_id, role__in=removed).delete()
        Membership.objects.bulk_create(
            [Membership(project_id=project_id, user_id=user_id, role=role) for role in sorted(granted)]
        )
        if granted or removed:
            record(
                actor=actor,
                verb="members.change" if wanted else "members.remove",
                object_type="user",
                object_id=user_id,
                data={"granted": sorted(granted), "removed": sorted(removed)},
            )
    return sorted(granted | removed)


def _another_admin(project_id: int, user_id: int) -> bool:
    admins = Membership.objects.filter(project_id=project_id, role=Role.ADMIN, user__is_active=True)
    return admins.exclude(user_id=user_id).exists()
