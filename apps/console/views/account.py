"""The password: asked once more before something serious, and a new one."""

from typing import cast

from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.reauthentication import resume_request
from allauth.account.utils import get_next_redirect_url
from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.actions.change_password import change_password
from apps.access.actions.give_back_try import give_back_try
from apps.access.actions.record_login import record_login
from apps.access.actions.take_try import take_try
from apps.access.actions.use_code import use_code
from apps.access.models import User
from apps.access.queries import is_linked
from apps.console.accounts import again_from, counted
from apps.console.forms.account import AgainForm, CodeForm, PasswordForm
from apps.console.forms.errors import show_errors
from apps.console.fresh import ask_again, is_fresh
from apps.core.errors import Invalid


@counted
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def again(request: HttpRequest) -> HttpResponse:
    """Is it you? From here back to where one wanted to go, with the form that was sent."""
    user = cast(User, request.user)
    sent = request.POST if request.method == "POST" else None
    form = AgainForm(sent) if user.has_usable_password() else CodeForm(sent) if user.has_second_step else None
    if sent is not None and form is not None and form.is_valid() and _is_right(request, user, form, *form.fields):
        method = "password" if user.has_usable_password() else "mfa"
        record_authentication(request, user, method, reauthenticated=True)
        return resume_request(request) or HttpResponseRedirect("/")
    linked = not user.has_usable_password() and is_linked(user)
    context = {"form": form, "linked": linked, "next": get_next_redirect_url(request) or ""}
    response = render(request, "account/reauthenticate.html", context, status=422 if form and form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@counted
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def password(request: HttpRequest) -> HttpResponse:
    """A new password. Whoever has none yet says first who he is, in the way he signs in."""
    user = cast(User, request.user)
    has_one = user.has_usable_password()
    if not has_one and not is_fresh(request):
        return ask_again(request)
    form = PasswordForm(request.POST if request.method == "POST" else None, has_one=has_one)
    if request.method == "POST" and form.is_valid() and (not has_one or _is_right(request, user, form, "oldpassword")):
        actor, _ = again_from(request)
        try:
            fresh = change_password(actor=actor, user_id=user.id, password=form.cleaned_data["password1"])
        except Invalid as error:
            show_errors(form, error)
        else:
            update_session_auth_hash(request, fresh)
            messages.success(request, "Your password is changed. You are signed out everywhere else.")
            return HttpResponseRedirect(reverse("me"))
    response = render(request, "account/password_change.html", {"form": form}, status=422 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


def _is_right(request: HttpRequest, user: User, form: forms.Form, field: str) -> bool:
    """Whether the field holds the user's password, or a code that is good now; each try is counted. Raises RateLimited."""
    actor, attempt = again_from(request)
    take_try(actor=actor, attempt=attempt)
    said = form.cleaned_data[field]
    if use_code(actor=actor, user_id=user.id, code=said) if field == "code" else user.check_password(said):
        give_back_try(attempt=attempt)
        return True
    record_login(user_id=user.id, succeeded=False)
    wrong = "This code is not right, or was used before." if field == "code" else "This is not your password."
    form.add_error(field, wrong)
    return False
