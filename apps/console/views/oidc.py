"""To the identity provider and back, and an identity that is no longer one's own."""

import secrets
from typing import Any, cast

from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods
from requests import RequestException

from apps.access.actions.unlink_identity import unlink_identity
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.queries import open_invitation
from apps.console.accounts import counted
from apps.console.fresh import ask_again, is_fresh
from apps.console.hx import to_login
from apps.console.oidc import Adapter, Callback, Provider, refused
from apps.core.errors import Conflict, NotFound
from apps.core.sealing import INVITATIONS, seal

_callback = Callback.adapter_view(Adapter)


@require_http_methods(["POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """``how``: login, join (with an invitation's ``token``), link or again. The answer is a page that leads on, since the
    policy lets no form go to another host, not even by a redirect."""
    if not settings.OIDC_ISSUER:
        raise Http404
    wish: dict[str, Any] = {"how": request.POST.get("how", "login")}
    if wish["how"] in {"link", "again"} and not request.user.is_authenticated:
        return to_login(request)
    if wish["how"] == "link":
        if not is_fresh(request):
            return ask_again(request)
        wish["user"] = request.user.pk
    elif wish["how"] == "join":
        token = request.POST.get("token", "")
        if open_invitation(token) is None:
            raise Http404
        # An invitation's link is stored nowhere in clear, in a session neither.
        wish["token"] = seal(token.encode(), use=INVITATIONS).decode()
    elif wish["how"] not in {"login", "again"}:
        return HttpResponse(status=422)
    nonce = secrets.token_urlsafe(32)
    asked = {"nonce": nonce} | ({"prompt": "login", "max_age": "0"} if wish["how"] == "again" else {})
    try:
        onward = Provider(request).redirect(
            request,
            process="login",
            next_url=get_next_redirect_url(request),
            data=wish,
            auth_params=asked,
            nonce=nonce,
        )
    except (OAuth2Error, RequestException) as error:
        return _away(request, error)
    response = render(request, "account/onward.html", {"url": onward["Location"], "name": settings.OIDC_NAME})
    response["Refresh"] = f"0; url={onward['Location']}"
    response["Cache-Control"] = "no-store"
    return response


def _away(request: HttpRequest, error: Exception) -> HttpResponse:
    response = refused(request, f"{settings.OIDC_NAME} does not answer as it should. Try again shortly.", 503)
    response["Retry-After"] = "30"
    return response


@counted
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """The provider's answer, good once and for ten minutes."""
    if not settings.OIDC_ISSUER:
        raise Http404
    response: HttpResponse = _callback(request)
    response["Cache-Control"] = "no-store"
    # The address holds the code.
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_http_methods(["POST"])
@login_required
def unlink(request: HttpRequest) -> HttpResponse:
    """This identity opens the account no more."""
    if not is_fresh(request):
        return ask_again(request)
    user = cast(User, request.user)
    try:
        unlink_identity(actor=Actor(kind="user", id=str(user.id)), user_id=user.id, issuer=settings.OIDC_ISSUER)
    except (Conflict, NotFound) as error:
        return refused(request, error.detail, error.status)
    messages.success(request, f"{settings.OIDC_NAME} opens this account no more.")
    return HttpResponseRedirect(reverse("me"))
