"""A login, or a refused one, in the installation's own chain."""

from apps.access.actor import NOBODY, Actor
from apps.audit.actions.record import record
from apps.core.transactions import unit


def record_login(*, user_id: int | None, succeeded: bool) -> None:
    """The address that was tried is not kept: it may be somebody else's, or a password typed into the wrong field."""
    actor = Actor(kind="user", id=str(user_id)) if user_id is not None else NOBODY
    with unit():
        record(
            actor=actor,
            verb="users.login",
            object_type="user",
            object_id=user_id if user_id is not None else "unknown",
            result="done" if succeeded else "denied",
        )
