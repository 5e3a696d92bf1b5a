"""How people log in: accounts are made by an administrator, tries are counted, and each login is recorded."""

import functools
import math
import re
from collections.abc import Callable
from typing import Any, cast

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from apps.access.actions.give_back_try import give_back_try
from apps.access.actions.record_login import record_login
from apps.access.actions.record_logout import record_logout
from apps.access.actions.remember_place import remember_place
from apps.access.actions.take_try import take_try
from apps.access.actor import NOBODY, Actor
from apps.access.models import User
from apps.access.queries import known_user
from apps.access.tries import PLACE_KNOWN_FOR, Try
from apps.console.addresses import client_address
from apps.core.clock import seconds
from apps.core.errors import RateLimited
from apps.core.ids import base62
from apps.core.transactions import unit

View = Callable[..., HttpResponse]
BROWSER = "mp_browser"
"""Cookie of a browser in which somebody has signed in: a random name, which says nothing by itself."""


def counted(view: View) -> View:
    """A page on which a password or a code is tried, or a sign-in ends. Too many tries get a page that says how long to
    wait; a browser in which somebody signed in is known from then on."""

    @functools.wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except RateLimited as error:
            response = too_many(error)
        if name := getattr(request, "browser_name", ""):
            response.set_cookie(
                BROWSER,
                name,
                max_age=PLACE_KNOWN_FOR,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return wrapped


def too_many(error: RateLimited) -> HttpResponse:
    """The page of a refused try: when to come back, in words and in a header, and nothing about any account."""
    seconds = error.retry_after or 1
    minutes = math.ceil(seconds / 60)
    wait = (
        f"{seconds} seconds"
        if seconds < 100
        else f"{minutes} minutes"
        if minutes < 100
        else f"{math.ceil(minutes / 60)} hours"
    )
    response = HttpResponse(render_to_string("429.html", {"wait": wait}), status=429)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response


def attempt_from(request: HttpRequest, purpose: str, account: str) -> Try:
    """A try of what `apps.access.tries` counts, from where this request comes."""
    return Try(purpose, account, address=client_address(request), browser=_browser_of(request))


def again_from(request: HttpRequest) -> tuple[Actor, Try]:
    """The same of somebody who is signed in and is asked once more."""
    user_id = str(request.user.pk)
    return Actor(kind="user", id=user_id), Try("again", user_id)


def _browser_of(request: HttpRequest) -> str:
    name = request.COOKIES.get(BROWSER, "")
    return name if re.fullmatch(r"[0-9A-Za-z]{32}", name) else ""


class MemberBackend(AuthenticationBackend):
    """allauth's, which reads with a session's user what every page asks of him next: his projects and roles."""

    def get_user(self, user_id: int) -> User | None:
        user = known_user(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


class ClosedAccountAdapter(DefaultAccountAdapter):
    """allauth's hooks: no sign-up, tries counted in the database, and an audit event for every login, refused login and
    logout."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Counted before the password is looked at, whether there is such an account or not."""
        take_try(actor=NOBODY, attempt=attempt_from(request, "password", credentials.get("email", "")))

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        user = super().authenticate(request, **credentials)
        if user:
            give_back_try(attempt=attempt_from(request, "password", credentials.get("email", "")))
        return user

    def login(self, request: HttpRequest, user: Any) -> None:
        super().login(request, user)
        # A session that was begun before, for a message or a form, is as old as this login.
        request.session["began"] = int(seconds())
        request.browser_name = _browser_of(request) or base62(32)  # type: ignore[attr-defined]
        for purpose, account in (("password", user.email), ("code", str(user.pk))):
            here = Try(purpose, account, client_address(request), request.browser_name)  # type: ignore[attr-defined]
            remember_place(attempt=here)
        record_login(user_id=user.pk, succeeded=True)

    def logout(self, request: HttpRequest) -> None:
        user_id = cast(User, request.user).id
        # Either both hold or none: what could not be recorded did not happen.
        with unit():
            record_logout(actor=Actor(kind="user", id=str(user_id)), user_id=user_id)
            super().logout(request)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        record_login(user_id=None, succeeded=False)
