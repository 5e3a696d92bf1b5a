"""Somebody takes the seat that a link offers."""

from apps.access.actions.create_user import create_user
from apps.access.actions.link_identity import link_identity
from apps.access.actor import Actor, system_actor
from apps.access.locks import lock_members
from apps.access.models import Invitation, Membership, User
from apps.access.policies import Refused
from apps.access.queries import open_invitation
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.core.transactions import bind, unit


def accept_invitation(
    *, token: str, user: User | None, name: str = "", password: str = "", identity: tuple[str, str] | None = None
) -> User:
    """Join the project as the invited person and return who that is.

    ``user`` is whoever is logged in. Somebody with an account joins with it alone, so that a link that went astray opens
    no existing account; for an address without one an account is made, with ``password``, or with ``identity`` (issuer and
    subject, as the identity provider confirmed them) in its place. Raises NotFound for a link
    that is unknown or over, Refused ``other_account`` and ``sign_in_first``, Invalid for a weak password.
    """
    with unit():
        found = open_invitation(token)
        if found is None:
            raise NotFound("invitation_over", "This invitation is not valid any more. Ask for another one.")
        with bind(found.project_id):
            lock_members(found.project_id)
            # Read again under the lock: of two who follow a link at once, one joins.
            invitation = Invitation.objects.get(id=found.id)
            if invitation.accepted_at or invitation.revoked_at:
                raise NotFound("invitation_over", "This invitation is not valid any more. Ask for another one.")
            if user is not None and user.email != invitation.email:
                detail = "This invitation is for another address. Sign out first."
                raise Refused(_somebody(user), "members.join", detail, found.project_id, code="other_account")
            if user is None and User.objects.filter(email=invitation.email).exists():
                detail = "There is an account with this address. Sign in to join with it."
                raise Refused(_somebody(None), "members.join", detail, found.project_id, code="sign_in_first")
        if user is None:
            maker = system_actor("invitation")
            secret = None if identity else password
            user = create_user(actor=maker, email=invitation.email, name=name, password=secret)
            if identity:
                link_identity(actor=maker, user_id=user.id, issuer=identity[0], subject=identity[1])
        with bind(found.project_id):
            Membership.objects.bulk_create(
                [Membership(project_id=found.project_id, user=user, role=role) for role in invitation.roles],
                ignore_conflicts=True,
            )
            invitation.accepted_at, invitation.accepted_by = now(), user
            invitation.save(update_fields=["accepted_at", "accepted_by"])
            record(
                actor=Actor(kind="user", id=str(user.id), project_id=found.project_id),
                verb="members.join",
                object_type="user",
                object_id=user.id,
                data={"invitation": invitation.id, "granted": invitation.roles},
            )
    return user


def _somebody(user: User | None) -> Actor:
    if user is None:
        return Actor(kind="anonymous", id="anonymous")
    return Actor(kind="user", id=str(user.id))
