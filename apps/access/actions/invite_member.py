"""A link by which somebody joins a project."""

from collections.abc import Collection
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from apps.access.actor import Actor
from apps.access.keys import hash_key
from apps.access.locks import lock_members
from apps.access.models import Invitation, Membership, Role
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, FieldError, Invalid
from apps.core.ids import base62
from apps.core.transactions import bind

LIFE = timedelta(days=7)


def invite_member(*, actor: Actor, project_id: int, email: str, roles: Collection[str]) -> tuple[Invitation, str]:
    """Make an invitation for one address and return it with its token, which is nowhere stored. An earlier one for the
    same address is over. Raises Invalid with one error a field, and Conflict for somebody who is a member already."""
    require(actor, "members.change", project_id=project_id)
    address, errors = email.strip().lower(), []
    try:
        validate_email(address)
    except ValidationError:
        errors.append(FieldError("invalid_email", "This is not an e-mail address.", pointer="/email"))
    if not roles or set(roles) - set(Role.values):
        errors.append(FieldError("unknown_role", "Choose at least one role.", pointer="/roles"))
    if errors:
        raise Invalid("invalid_invitation", "Nobody can be invited like this.", errors=errors)
    with bind(project_id):
        lock_members(project_id)
        if Membership.objects.filter(project_id=project_id, user__email=address).exists():
            raise Conflict("already_member", "Somebody with this address is a member already.", pointer="/email")
        at, token = now(), base62(43)
        Invitation.objects.filter(project_id=project_id, email=address, accepted_at=None, revoked_at=None).update(
            revoked_at=at
        )
        invitation = Invitation.objects.create(
            project_id=project_id,
            email=address,
            roles=sorted(set(roles)),
            token_hash=hash_key(token),
            created_by_id=int(actor.id) if actor.kind == "user" else None,
            expires_at=at + LIFE,
        )
        record(
            actor=actor,
            verb="members.invite",
            object_type="invitation",
            object_id=invitation.id,
            data={"roles": invitation.roles},
        )
    return invitation, token
