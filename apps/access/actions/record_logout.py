"""Somebody signs out: the end of one session, in the installation's own chain."""

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.core.transactions import unit


def record_logout(*, actor: Actor, user_id: int) -> None:
    """Raises ValueError for anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("Whoever signs out is signed in.")
    with unit():
        record(actor=actor, verb="users.logout", object_type="user", object_id=user_id)
