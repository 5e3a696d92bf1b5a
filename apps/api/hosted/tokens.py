"""A person's token: signed, good for an hour, dead at once with his password, his sessions or his account."""

from datetime import timedelta

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from redis import RedisError

from apps.access.actions.record_login import record_login
from apps.access.models import User
from apps.access.queries import known_user
from apps.core.errors import DomainError, NotAuthenticated, Unavailable

LIFE = timedelta(hours=1)
SALT = "memoryplane.api.hosted"


class TooManyTries(DomainError):
    """Passwords are tried too fast."""

    status = 429


def log_in(request: HttpRequest, email: str, password: str) -> str:
    """A token for the person with this address and password. Tries are counted with those of the login page, and each is
    recorded. Raises NotAuthenticated, TooManyTries, and Unavailable while tries can't be counted."""
    adapter = get_adapter(request)
    try:
        user = adapter.authenticate(request, email=email.strip().lower(), password=password)
    except ValidationError:
        raise TooManyTries("too_many_login_attempts", "Too many tries; wait five minutes.", retry_after=300) from None
    except RedisError:
        raise Unavailable("unavailable", "Logins can't be counted just now.", retry_after=5) from None
    if not isinstance(user, User) or not user.is_active:
        raise NotAuthenticated("not_authenticated", "Address and password don't belong together.")
    record_login(user_id=user.pk, succeeded=True)
    return signing.dumps({"user": user.pk, "session": user.get_session_auth_hash()}, salt=SALT)


def person_of(request: HttpRequest, *, fresh: bool = False) -> User:
    """Whose token a request bears. ``fresh``: one of the last five minutes, as the console asks for the password again.
    Raises NotAuthenticated, the same for none and for every bad one."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    life = timedelta(seconds=settings.ACCOUNT_REAUTHENTICATION_TIMEOUT) if fresh else LIFE
    try:
        if scheme.lower() != "bearer":
            raise signing.BadSignature
        claims = signing.loads(token.strip(), salt=SALT, max_age=life)
        user = known_user(claims["user"])
    except signing.SignatureExpired:
        raise NotAuthenticated("login_again", "Log in again.") from None
    except signing.BadSignature:
        user = None
    if user is None or not user.is_active or not constant_time_compare(user.get_session_auth_hash(), claims["session"]):
        raise NotAuthenticated("not_authenticated", "The token is missing or not valid.")
    return user
