"""Somebody has lost the app and the recovery codes."""

from allauth.mfa.models import Authenticator
from django.db.models import F

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import unit


def reset_second_step(*, actor: Actor, email: str) -> User:
    """Forget both, and end every session. Whoever runs the machine says so; the password stays. Raises NotFound, and
    Conflict ``not_on`` where there is nothing to forget."""
    require(actor, "users.reset_second_step")
    with unit():
        user = User.objects.select_for_update(no_key=True).filter(email=email.strip().lower()).first()
        if user is None:
            raise NotFound("not_found", "There is no account with this address.")
        gone, _ = Authenticator.objects.filter(user=user).delete()
        if not gone:
            raise Conflict("not_on", "Two-step sign-in is not on for this account.")
        User.objects.filter(id=user.id).update(session_round=F("session_round") + 1)
        record(actor=actor, verb="users.reset_second_step", object_type="user", object_id=user.id)
    return user
