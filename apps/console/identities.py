"""What somebody whom the identity provider has confirmed is let do: sign in, join, link, or say once more who he is."""

from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.reauthentication import resume_request
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from apps.access.actions.accept_invitation import accept_invitation
from apps.access.actions.link_identity import link_identity
from apps.access.actions.record_login import record_login
from apps.access.actor import Actor
from apps.access.models import User
from apps.console.hx import note_refusal
from apps.console.oidc import refused
from apps.core.errors import DomainError
from apps.core.sealing import INVITATIONS, unseal


def use_identity(request: HttpRequest, sociallogin: Any) -> None:
    """Goes on to allauth's sign-in where that was meant and the identity is linked; everything else ends here, with
    allauth's ImmediateHttpResponse."""
    wish = sociallogin.state["data"]
    try:
        if wish["how"] == "join":
            _join(sociallogin, unseal(wish["token"].encode(), use=INVITATIONS).decode())
        elif wish["how"] == "link":
            raise ImmediateHttpResponse(_link(request, sociallogin, wish["user"]))
        elif wish["how"] == "again":
            raise ImmediateHttpResponse(_again(request, sociallogin))
    except DomainError as error:
        note_refusal(error)
        raise ImmediateHttpResponse(refused(request, error.detail, error.status)) from error
    if not sociallogin.is_existing:
        record_login(user_id=None, succeeded=False)
        reason = (
            "Nobody here signs in with this identity. It takes an invitation, or a link from an account's preferences."
        )
        raise ImmediateHttpResponse(refused(request, reason))


def _join(sociallogin: Any, token: str) -> None:
    """An account for the invited address, with this identity in place of a password."""
    identity = (sociallogin.account.provider, sociallogin.account.uid)
    joined = accept_invitation(token=token, user=None, identity=identity)
    sociallogin.user = joined
    sociallogin.account = joined.socialaccount_set.get()  # type: ignore[attr-defined]


def _link(request: HttpRequest, sociallogin: Any, user_id: int) -> HttpResponse:
    if not request.user.is_authenticated or request.user.pk != user_id:
        return refused(request, "Somebody else is signed in now. Begin again.")
    link_identity(
        actor=Actor(kind="user", id=str(user_id)),
        user_id=user_id,
        issuer=sociallogin.account.provider,
        subject=sociallogin.account.uid,
    )
    messages.success(request, f"You can sign in with {settings.OIDC_NAME} from now on.")
    return HttpResponseRedirect(reverse("me"))


def _again(request: HttpRequest, sociallogin: Any) -> HttpResponse:
    user = cast(User, request.user)
    if not user.is_authenticated or not sociallogin.is_existing or sociallogin.user.pk != user.pk:
        return refused(request, "This is not the identity of who is signed in.")
    record_authentication(request, user, "oidc", asked=True)
    after = sociallogin.state.get("next") or "/"
    # What was suspended is resumed where the address says so.
    request.GET = QueryDict(urlencode({"next": after}))
    return resume_request(request) or HttpResponseRedirect(after)
