"""The console's frame around a view: who asks, in which project, and how a refusal becomes a page.

Domain errors become HTTP here and nowhere else in the console: 422 the form again, 409 the fresh state, 403 and 404 a
page that says what would help.
"""

import functools
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, cast
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from apps.access.actions.record_denial import record_denial
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.policies import FRESH, Refused, allowed, require
from apps.access.queries import actor_for_user, project_of
from apps.access.second_step import DEMANDED
from apps.console.clock import in_zone_of
from apps.console.fresh import ask_again, is_fresh
from apps.console.masking import masking
from apps.core.errors import Conflict, DomainError, NotAllowed, NotFound
from apps.core.transactions import bind
from apps.curation.models import Change
from apps.tenancy.models import Project

log = structlog.get_logger(__name__)


class ConsoleRequest(HttpRequest):
    """A request that passed `project_page`."""

    htmx: HtmxDetails
    project: Project
    actor: Actor


View = Callable[..., HttpResponse]


def project_page(verb: str) -> Callable[[View], View]:
    """Wrap a view under ``/p/<slug>/…``: log in first, find the project, ask the policy for ``verb``, bind the project
    for the whole view, rendering included.

    Where the installation demands two-step sign-in of a role, whoever holds it sets that up first.
    A verb of `access.policies.FRESH` asks for the password again where it was not given within five minutes. Times are shown
    in the member's own zone.

    Somebody who is no member gets the 404 of a project that is not there. An expired login inside an htmx call gets a
    401 that moves the whole page to the login.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def wrapped(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return to_login(request)
            try:
                response = _run(view, verb, cast(ConsoleRequest, request), slug, *args, **kwargs)
            except DomainError as error:
                response = error_page(request, error)
            except IntegrityError as error:
                # The verbs ask first; what the database still refuses was changed by somebody between the two.
                log.warning("refused by the database", exc_info=error)
                moved = Conflict("moved", "Somebody changed the same thing at the same moment. Look at it again.")
                response = error_page(request, moved)
            except (OperationalError, InterfaceError) as error:
                log.error("database unavailable", error=type(error).__name__)
                # Without the request: the context processors would ask the database again.
                response = HttpResponse(render_to_string("503.html"), status=503)
                response["Retry-After"] = "5"
            # The same address answers a page or a fragment; with personal text neither may be kept by a cache.
            patch_vary_headers(response, ["HX-Request"])
            response["Cache-Control"] = "no-store"
            return response

        wrapped.verb = verb  # type: ignore[attr-defined]
        return wrapped

    return decorate


def _run(view: View, verb: str, request: ConsoleRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
    user = cast(User, request.user)
    project = project_of(user, slug)
    actor = actor_for_user(user, project) if project else None
    if project is None or actor is None:
        raise NotFound("not_found", "There is no such project, or you are no member of it.")
    request.project, request.actor = project, actor
    require(actor, verb, project_id=project.id)
    if settings.REQUIRE_SECOND_STEP and actor.roles & DEMANDED and not user.has_second_step:
        return _to(request, reverse("two-step"))
    if verb in FRESH and not is_fresh(request):
        return ask_again(request)
    with in_zone_of(request.user), masking(request), bind(project.id):
        return view(request, *args, **kwargs)


def error_page(request: HttpRequest, error: DomainError) -> HttpResponse:
    """The page of a refusal. A denial is recorded here, after its transaction was rolled back; the frame around the page
    counts what is in the project, so that needs its binding again."""
    note_refusal(error)
    project: Project | None = getattr(request, "project", None)
    with bind(project.id) if project else nullcontext():
        return _refusal(request, error)


def note_refusal(error: DomainError) -> None:
    """Record a denial, where the error is one: for `error_page`, and for a view that shows its own page with the reason."""
    if isinstance(error, Refused):
        record_denial(error)


def _refusal(request: HttpRequest, error: DomainError) -> HttpResponse:
    if isinstance(error, NotAllowed):
        return render(request, "403.html", {"reason": error.detail}, status=403)
    if isinstance(error, NotFound):
        return render(request, "404.html", {"reason": error.detail}, status=404)
    title = "Changed meanwhile" if isinstance(error, Conflict) else "That can't be done"
    return render(request, "console/refused.html", {"title": title, "error": error}, status=error.status)


def _to(request: HttpRequest, url: str) -> HttpResponse:
    if getattr(request, "htmx", False):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = url
        return response
    return redirect(url)


def to_login(request: HttpRequest) -> HttpResponse:
    target = f"{reverse('account_login')}?{urlencode({'next': request.get_full_path()}, safe='/')}"
    if getattr(request, "htmx", False):
        response = HttpResponse(status=401)
        response["HX-Redirect"] = target
        return response
    return redirect(target)


def wants_fragment(request: ConsoleRequest, target: str) -> bool:
    """Whether htmx asks for the part ``target`` alone. The view, not the client, decides what a part holds."""
    return bool(request.htmx) and not request.htmx.boosted and request.htmx.target == target


def done(
    request: HttpRequest, url: str, text: str, *, undo: Change | str | None = None, level: str = "ok"
) -> HttpResponse:
    """After a change: a redirect with a message, or for htmx the same by its headers. With ``undo`` the message has a
    button that takes the change back: what `undo_url` knows, or the address that does it. Levels: ok, warn."""
    # The message carries the address of its button as its tag, which is all that Django keeps beside the words.
    tag = undo_url(undo) if undo else ""
    messages.add_message(request, messages.WARNING if level == "warn" else messages.SUCCESS, text, extra_tags=tag)
    if getattr(request, "htmx", False):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = url
        return response
    return HttpResponseRedirect(url)


def toast(response: HttpResponse, text: str, level: str = "ok", *, undo: Change | str | None = None) -> HttpResponse:
    """Have the page show a short message after the swap, with ``undo`` one that takes the change back. Levels: ok, warn,
    bad."""
    said = {"text": text, "level": level} | ({"url": undo_url(undo)} if undo else {})
    response["HX-Trigger"] = json.dumps({"toast": said})
    return response


def undo_url(change: Change | str) -> str:
    """Where a form is posted to that takes the change back."""
    if isinstance(change, str):
        return change
    return reverse("undo", args=[change.project.slug, change.id])


def visible_sensitivities(actor: Actor) -> tuple[str, ...]:
    """The labels of facts and proposals this person may see."""
    return (
        ("public", "internal", "personal", "special")
        if allowed(actor, "facts.read_personal")
        else ("public", "internal")
    )
