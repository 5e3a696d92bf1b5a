"""How people log in: accounts are made by an administrator, and each login is recorded."""

import functools
from collections.abc import Callable
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from redis import RedisError

from apps.access.actions.record_login import record_login
from apps.access.models import User
from apps.access.queries import known_user

log = structlog.get_logger(__name__)
View = Callable[..., HttpResponse]


def counted(view: View) -> View:
    """A page on which a password is tried. Tries are counted in Redis; while it is away nobody is let in uncounted, and
    the page says so. Whoever is signed in goes on working."""

    @functools.wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except RedisError as error:
            log.error("redis unavailable", error=type(error).__name__)
            response = HttpResponse(render_to_string("503.html"), status=503)
            response["Retry-After"] = "5"
            return response

    return wrapped


class MemberBackend(AuthenticationBackend):
    """allauth's, which reads with a session's user what every page asks of him next: his projects and roles."""

    def get_user(self, user_id: int) -> User | None:
        user = known_user(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


class ClosedAccountAdapter(DefaultAccountAdapter):
    """allauth's hooks: no sign-up, and an audit event for every login and refused login."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def login(self, request: HttpRequest, user: Any) -> None:
        super().login(request, user)
        record_login(user_id=user.pk, succeeded=True)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        record_login(user_id=None, succeeded=False)
