"""A sign-in needs the password alone again."""

from allauth.mfa.models import Authenticator
from django.db.models import F

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.second_step import is_demanded_of
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import unit


def disable_second_step(*, actor: Actor, user_id: int) -> None:
    """Forget the app and the recovery codes, and end every session of before. Raises Conflict ``demanded`` where a role
    needs it, ``not_on`` where there is none, and ValueError for anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("The second step is switched off by whose account it is.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        if is_demanded_of(user_id):
            raise Conflict("demanded", "Your role needs two-step sign-in here.")
        gone, _ = Authenticator.objects.filter(user=user).delete()
        if not gone:
            raise Conflict("not_on", "Two-step sign-in is not on.")
        User.objects.filter(id=user_id).update(session_round=F("session_round") + 1)
        record(actor=actor, verb="users.disable_second_step", object_type="user", object_id=user_id)
