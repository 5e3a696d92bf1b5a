"""A new person who may log in."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, FieldError, Invalid
from apps.core.transactions import unit


def create_user(*, actor: Actor, email: str, name: str, password: str | None) -> User:
    """Make an account; without a password for somebody who signs in through the identity provider. Raises Invalid for a bad address or a weak password, Conflict for an address in use."""
    require(actor, "users.create")
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise Invalid("invalid_email", "This is not an e-mail address.", pointer="/email") from error
    try:
        if password is not None:
            validate_password(password, User(email=address, name=name))
    except ValidationError as error:
        raise Invalid(
            "weak_password",
            "The password is too weak.",
            errors=[FieldError("weak_password", text, pointer="/password") for text in error.messages],
        ) from error
    with unit():
        if User.objects.filter(email=address).exists():
            raise Conflict("email_in_use", "There is an account with this address.")
        user = User.objects.create_user(address, password, name=name.strip())
        record(actor=actor, verb="users.create", object_type="user", object_id=user.id)
    return user
