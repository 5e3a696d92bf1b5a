"""One's own preferences, password and sessions."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from apps.access.actions.change_preferences import change_preferences
from apps.access.actions.end_sessions import end_sessions
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.queries import is_linked
from apps.console.clock import in_zone_of
from apps.console.forms.errors import show_errors
from apps.console.forms.me import PreferencesForm
from apps.core.clock import now
from apps.core.errors import Invalid


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    """The form, and the ways to the password and the sessions."""
    user = cast(User, request.user)
    form = PreferencesForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_preferences(actor=_actor(user), user_id=user.id, changes=form.cleaned_data)
        except Invalid as error:
            show_errors(form, error)
        else:
            messages.success(request, "Saved." if changed else "Nothing was different.")
            return HttpResponseRedirect(reverse("me"))
    with in_zone_of(user):
        context = {"form": form, "member": user, "now": now(), "linked": is_linked(user)}
        response = render(request, "console/me.html", context, status=422 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_http_methods(["POST"])
@login_required
def set_one(request: HttpRequest) -> HttpResponse:
    """The switches that stand on every page: theme, and whether single keys do things."""
    user, changes = cast(User, request.user), cast(dict[str, Any], {})
    if "theme" in request.POST:
        changes["theme"] = request.POST["theme"]
    if "keys" in request.POST:
        changes["single_keys"] = "single_keys" in request.POST
    try:
        change_preferences(actor=_actor(user), user_id=user.id, changes=changes)
    except Invalid:
        return HttpResponse(status=422)
    if getattr(request, "htmx", False):
        return HttpResponse(status=204)
    back = request.headers.get("Referer", "")
    here = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return HttpResponseRedirect(back if here else reverse("me"))


@require_http_methods(["POST"])
@login_required
def sign_out_elsewhere(request: HttpRequest) -> HttpResponse:
    """Every other session is over; this one goes on."""
    user = cast(User, request.user)
    fresh = end_sessions(actor=_actor(user), user_id=user.id)
    update_session_auth_hash(request, fresh)
    messages.success(request, "Signed out everywhere else.")
    return HttpResponseRedirect(reverse("me"))


def _actor(user: User) -> Actor:
    return Actor(kind="user", id=str(user.id))
