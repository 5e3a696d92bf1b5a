"""Two-step sign-in: set up, used and switched off by whose account it is."""

from typing import Any, cast

from allauth.account.internal.decorators import login_stage_required
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.actions.disable_second_step import disable_second_step
from apps.access.actions.enable_second_step import enable_second_step
from apps.access.actions.give_back_try import give_back_try
from apps.access.actions.record_login import record_login
from apps.access.actions.renew_recovery_codes import renew_recovery_codes
from apps.access.actions.take_try import take_try
from apps.access.actions.use_code import use_code
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.second_step import is_demanded_of
from apps.console.accounts import again_from, attempt_from, counted
from apps.console.clock import in_zone_of
from apps.console.forms.account import CodeForm, EnableForm
from apps.console.forms.errors import show_errors
from apps.console.fresh import ask_again, is_fresh
from apps.console.shaping.qr import drawn
from apps.core.errors import Conflict, DomainError, Invalid, Unavailable

SALT = "memoryplane.console.two-step"
MINUTES = 15


@counted
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def two_step(request: HttpRequest) -> HttpResponse:
    """Off: the picture for the app and a form for its first code. On: since when, new recovery codes, off."""
    if not is_fresh(request):
        return ask_again(request)
    with in_zone_of(cast(User, request.user)):
        response = _two_step(request, cast(User, request.user))
    response["Cache-Control"] = "no-store"
    return response


def _two_step(request: HttpRequest, user: User) -> HttpResponse:
    form = EnableForm()
    if request.method == "POST":
        try:
            if request.POST.get("act") == "renew":
                return _codes(request, renew_recovery_codes(actor=_actor(user), user_id=user.id))
            if request.POST.get("act") == "off":
                disable_second_step(actor=_actor(user), user_id=user.id)
                update_session_auth_hash(request, User.objects.get(id=user.id))
                messages.success(request, "Two-step sign-in is off. You are signed out everywhere else.")
                return HttpResponseRedirect(reverse("me"))
            form = EnableForm(request.POST)
            if form.is_valid():
                return _enabled(request, user, form)
        except Conflict as error:
            return render(request, "console/two_step/refused.html", {"error": error}, status=error.status)
        except Invalid as error:
            show_errors(form, error)
    kept = {one.type: one for one in Authenticator.objects.filter(user=user)}
    app, codes = kept.get(Authenticator.Type.TOTP), kept.get(Authenticator.Type.RECOVERY_CODES)
    context: dict[str, Any] = {"form": form, "app": app, "demanded": is_demanded_of(user.id)}
    if app:
        context["left"] = len(codes.wrap().get_unused_codes()) if codes else 0
    else:
        # The same picture again after a wrong code: the app has it by now.
        secret = _secret_of(user, form.data.get("setup", "")) or generate_totp_secret()
        context["setup"] = signing.dumps({"user": user.id, "secret": secret}, salt=SALT)
        context["secret"] = " ".join(secret[n : n + 4] for n in range(0, len(secret), 4))
        context["qr"] = drawn(get_adapter().build_totp_url(user, secret))
    return render(request, "console/two_step/page.html", context, status=422 if form.errors else 200)


def _enabled(request: HttpRequest, user: User, form: EnableForm) -> HttpResponse:
    secret = _secret_of(user, form.cleaned_data["setup"])
    if secret is None:
        raise Invalid("too_late", "This took too long. Here is a new picture for the app.", pointer="/code")
    actor, attempt = again_from(request)
    take_try(actor=actor, attempt=attempt)
    codes = enable_second_step(actor=actor, user_id=user.id, secret=secret, code=form.cleaned_data["code"])
    give_back_try(attempt=attempt)
    update_session_auth_hash(request, User.objects.get(id=user.id))
    return _codes(request, codes)


def _codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    """The one page that shows them."""
    return render(request, "console/two_step/codes.html", {"codes": "\n".join(f"{one[:4]} {one[4:]}" for one in codes)})


def _secret_of(user: User, setup: str) -> str | None:
    """What the form carried, if this page made it for this account a moment ago."""
    try:
        said = signing.loads(setup, salt=SALT, max_age=MINUTES * 60)
    except signing.BadSignature:
        return None
    return str(said["secret"]) if said.get("user") == user.id else None


@counted
@require_http_methods(["GET", "HEAD", "POST"])
@login_stage_required(stage=AuthenticateStage.key, redirect_urlname="account_login")
def code(request: HttpRequest) -> HttpResponse:
    """The second step of a sign-in, after the password."""
    stage = request._login_stage  # type: ignore[attr-defined]
    user = cast(User, stage.login.user)
    if not Authenticator.objects.filter(user=user).exists():
        return redirect("account_login")  # it was reset meanwhile
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        attempt = attempt_from(request, "code", str(user.id))
        actor = _actor(user)
        take_try(actor=actor, attempt=attempt)
        try:
            if use_code(actor=actor, user_id=user.id, code=form.cleaned_data["code"]):
                give_back_try(attempt=attempt)
                record_authentication(request, user, "mfa")
                response: HttpResponse = stage.exit()
                return response
            form.add_error("code", "This code is not right, or was used before.")
        except Unavailable as error:
            _said(form, error)
        record_login(user_id=user.id, succeeded=False)
    response = render(request, "mfa/authenticate.html", {"form": form}, status=422 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


def _said(form: CodeForm, error: DomainError) -> None:
    form.add_error("code", error.detail)


def _actor(user: User) -> Actor:
    return Actor(kind="user", id=str(user.id))
