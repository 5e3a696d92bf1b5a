"""Sign somebody out wherever he is signed in."""

from django.db.models import F

from apps.access.actor import Actor
from apps.access.models import User
from apps.audit.actions.record import record
from apps.core.transactions import unit


def end_sessions(*, actor: Actor, user_id: int) -> User:
    """Every session of the user is over at its next request; the face that asked gives its own the new round. Raises
    ValueError for anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("Sessions are ended by whose they are.")
    with unit():
        User.objects.filter(id=user_id).update(session_round=F("session_round") + 1)
        record(actor=actor, verb="users.end_sessions", object_type="user", object_id=user_id)
        return User.objects.get(id=user_id)
