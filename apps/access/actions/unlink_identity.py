"""An identity opens an account no more."""

from allauth.socialaccount.models import SocialAccount

from apps.access.actor import Actor
from apps.access.models import User
from apps.audit.actions.record import record
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import unit


def unlink_identity(*, actor: Actor, user_id: int, issuer: str) -> None:
    """Take the issuer's identity off the account. Raises NotFound, Conflict ``last_way`` where there is no password to
    sign in with, and ValueError for anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("An identity is taken off by whose account it is.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        if not user.has_usable_password():
            raise Conflict("last_way", "You have no password. Set one first, or you could not sign in any more.")
        gone, _ = SocialAccount.objects.filter(user=user, provider=issuer).delete()
        if not gone:
            raise NotFound("not_found", "No identity is linked to this account.")
        record(actor=actor, verb="users.unlink_identity", object_type="user", object_id=user_id)
