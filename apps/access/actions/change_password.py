"""A new password of one's own."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db.models import F

from apps.access.actor import Actor
from apps.access.models import User
from apps.audit.actions.record import record
from apps.core.errors import FieldError, Invalid
from apps.core.transactions import unit


def change_password(*, actor: Actor, user_id: int, password: str) -> User:
    """Set it, and end every session of before; the face that asked gives its own the new round. Raises Invalid for a weak
    one, and ValueError for anybody else's."""
    if actor.kind != "user" or int(actor.id) != user_id:
        raise ValueError("A password is changed by whose it is.")
    with unit():
        user = User.objects.select_for_update(no_key=True).get(id=user_id)
        try:
            validate_password(password, user)
        except ValidationError as error:
            faults = [FieldError("weak_password", text, pointer="/password1") for text in error.messages]
            raise Invalid("weak_password", "The password is too weak.", errors=faults) from error
        user.set_password(password)
        User.objects.filter(id=user_id).update(password=user.password, session_round=F("session_round") + 1)
        record(actor=actor, verb="users.change_password", object_type="user", object_id=user_id)
        return User.objects.get(id=user_id)
