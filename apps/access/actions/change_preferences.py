"""How the console looks to somebody, and in which time zone it speaks to him."""

from typing import Any
from zoneinfo import available_timezones

from apps.access.actor import Actor
from apps.access.models import DENSITIES, THEMES, User
from apps.audit.actions.record import record
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import unit

OPTIONS: dict[str, list[Any]] = {"theme": ["", *THEMES], "density": ["", *DENSITIES], "single_keys": [True, False]}


def change_preferences(*, actor: Actor, user_id: int, changes: dict[str, Any]) -> list[str]:
    """Set some of one's own preferences and return the names of those that changed: ``theme``, ``density``,
    ``single_keys``, ``time_zone``. Raises Invalid with one error for each that is none of its choices, and ValueError for
    anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("Preferences are changed by whose they are.")
    wrong = [name for name, value in changes.items() if value not in OPTIONS.get(name, available_timezones())]
    if wrong:
        errors = [FieldError("unknown_choice", "Not one of the choices.", pointer=f"/{name}") for name in wrong]
        raise Invalid("unknown_choice", "Not one of the choices.", errors=errors)
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        changed = sorted(name for name, value in changes.items() if getattr(user, name) != value)
        for name in changed:
            setattr(user, name, changes[name])
        if changed:
            user.save(update_fields=changed)
            record(
                actor=actor,
                verb="users.preferences",
                object_type="user",
                object_id=user_id,
                data={"changed": changed},
            )
    return changed
