"""Asking for a run."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.forms.dreams import StartForm
from apps.console.forms.errors import show_errors
from apps.console.hx import ConsoleRequest, done, project_page
from apps.core.errors import Conflict, DomainError, Invalid, NotFound
from apps.core.text import storable
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.queries import settings_of
from apps.facts.models import SCOPES


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("dreams.start")
def new(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/dreams/new`: ``scope`` and ``id`` fill in the form. POST starts a run, with ``dry`` one that can't be
    applied, and leads to it; where one of that place goes on already, to that one."""
    if request.method != "POST":
        scope = request.GET.get("scope", "")
        initial = {
            "scope": scope if scope in SCOPES else "project",
            "id": storable(request.GET.get("id", ""))[0],
        }
        return _page(request, StartForm(initial=initial))
    form = StartForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        started = start_dream(
            actor=request.actor,
            project_id=request.project.id,
            scope=form.cleaned_data["scope"],
            scope_id=form.cleaned_data["id"],
            dry_run="dry" in request.POST,
        )
    except Invalid as error:
        show_errors(form, error, {"scope_id": "id"})
        return _page(request, form, status=422)
    except (NotFound, Conflict) as error:
        return _page(request, form, problem=error, status=422 if isinstance(error, NotFound) else error.status)
    kind = "dry run" if started.run.dry_run else "run"
    text = f"Started {kind} {started.run.id}." if started.created else f"Run {started.run.id} goes on here already."
    return done(request, reverse("dream", args=[request.project.slug, started.run.id]), text)


def _page(
    request: ConsoleRequest, form: StartForm, *, problem: DomainError | None = None, status: int = 200
) -> HttpResponse:
    slug = request.project.slug
    context = {
        "slug": slug,
        "form": form,
        "problem": problem.detail if problem else "",
        "list_url": reverse("dreams", args=[slug]),
        "chosen": settings_of(request.project.id),
        "settings_url": reverse("settings-dreaming", args=[slug]) if allowed(request.actor, "dreams.settings") else "",
        "health_url": reverse("health", args=[slug]) if allowed(request.actor, "health.read") else "",
    }
    return render(request, "console/dreams/new.html", context, status=status)
