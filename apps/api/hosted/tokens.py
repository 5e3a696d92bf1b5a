"""A person's token: signed, good for an hour, dead at once with his password, his sessions or his account."""

from datetime import timedelta

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from apps.access.actions.give_back_try import give_back_try
from apps.access.actions.record_login import record_login
from apps.access.actions.take_try import take_try
from apps.access.actions.use_code import use_code
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.queries import known_user
from apps.access.second_step import is_demanded_of
from apps.access.tries import Try
from apps.core.errors import NotAuthenticated

LIFE = timedelta(hours=1)
SALT = "memoryplane.api.hosted"


def log_in(request: HttpRequest, email: str, password: str, code: str = "") -> str:
    """A token for the person with this address and password, and with ``code`` where his sign-in takes two steps. Tries are
    counted with those of the login page, and each is recorded. Raises NotAuthenticated, and RateLimited."""
    adapter = get_adapter(request)
    user = adapter.authenticate(request, email=email.strip().lower(), password=password)
    if not isinstance(user, User) or not user.is_active:
        raise NotAuthenticated("not_authenticated", "Address and password don't belong together.")
    _second_step(user, code, adapter.get_client_ip(request))
    record_login(user_id=user.pk, succeeded=True)
    return signing.dumps({"user": user.pk, "session": user.get_session_auth_hash()}, salt=SALT)


def _second_step(user: User, code: str, address: str) -> None:
    """As the login page asks for it."""
    known = known_user(user.pk)
    if known is None or not known.has_second_step:
        if is_demanded_of(user.pk):
            raise NotAuthenticated("set_up_second_step", "Your role needs two-step sign-in: set it up in the console.")
        return
    actor, attempt = Actor(kind="user", id=str(user.pk)), Try("code", str(user.pk), address=address)
    if code:
        take_try(actor=actor, attempt=attempt)
        if use_code(actor=actor, user_id=user.pk, code=code):
            give_back_try(attempt=attempt)
            return
        record_login(user_id=user.pk, succeeded=False)
    raise NotAuthenticated("code_needed", "Send a code of your app, not used before, as `code` too.")


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
