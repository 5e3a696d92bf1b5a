"""Somebody signs in through the identity provider from now on."""

from allauth.socialaccount.models import SocialAccount

from apps.access.actor import Actor
from apps.access.models import User
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import unit


def link_identity(*, actor: Actor, user_id: int, issuer: str, subject: str) -> None:
    """Link what the issuer calls ``subject`` to the account. Raises Conflict ``linked_elsewhere`` for an identity that has
    an account, ``linked_already`` for an account that has one of this issuer, and ValueError for anybody else's."""
    if actor.kind == "user" and int(actor.id) != user_id:
        raise ValueError("An identity is linked by whose account it is.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        ours = SocialAccount.objects.filter(provider=issuer)
        if ours.filter(uid=subject).exists():
            raise Conflict("linked_elsewhere", "This identity signs in to an account already.")
        if ours.filter(user=user).exists():
            raise Conflict("linked_already", "Another identity is linked to this account. Take it off first.")
        SocialAccount.objects.create(user=user, provider=issuer, uid=subject, extra_data={})
        record(actor=actor, verb="users.link_identity", object_type="user", object_id=user_id)
