"""Settings: the way in, and how a project's traces are mined."""

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.audit.queries import history_of
from apps.console.forms.errors import show_errors
from apps.console.forms.extraction import ExtractionForm
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.names import actor_names
from apps.console.shaping.settings import sections
from apps.core.errors import Invalid, NotFound
from apps.extraction.actions.change_settings import change_settings
from apps.extraction.models import ExtractionSettings
from apps.extraction.queries import settings_of
from apps.inference.chat import model_choices

SHOWN = 10
FIELDS = {
    "extractor": "who reads the traces",
    "model": "model",
    "prompt_addition": "prompt addition",
    "max_per_trace": "most statements of one trace",
    "max_learned": "most learned facts of one subject",
}
TELLING = ("extractor", "model", "max_per_trace", "max_learned")


@require_safe
@project_page("settings.open")
def index(request: ConsoleRequest) -> HttpResponse:
    """To the first page of the settings that the member's roles open."""
    pages = sections(request.project.slug, "", request.actor)
    if not pages:
        raise NotFound("not_found", "Your roles open none of the settings.")
    return HttpResponseRedirect(pages[0]["href"])


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("extraction.settings")
def extraction(request: ConsoleRequest) -> HttpResponse:
    """The form, and who changed what. What is saved holds from the next trace on."""
    chosen, models = settings_of(request.project.id), model_choices()
    if request.method != "POST":
        return _page(request, ExtractionForm(chosen, models), chosen)
    form = ExtractionForm(chosen, models, request.POST)
    if form.is_valid():
        before = chosen.updated_at if chosen.pk else None
        try:
            saved = change_settings(actor=request.actor, project_id=request.project.id, choice=form.choice())
        except Invalid as error:
            show_errors(form, error)
        else:
            same = before == saved.updated_at
            text = "Nothing was different." if same else "Saved. It holds for every trace mined from now on."
            return done(request, reverse("settings-extraction", args=[request.project.slug]), text)
    return _page(request, form, chosen, status=422)


def _page(
    request: ConsoleRequest, form: ExtractionForm, chosen: ExtractionSettings, *, status: int = 200
) -> HttpResponse:
    models = model_choices()
    lost = chosen.extractor == "llm" and chosen.model not in models
    context = {
        "form": form,
        "lost_model": chosen.model if lost else "",
        "no_model": not models,
        "events": _history(request, chosen),
        "slug": request.project.slug,
        "sections": sections(request.project.slug, "settings-extraction", request.actor),
        "may_see_health": allowed(request.actor, "health.read"),
    }
    return render(request, "console/settings/extraction.html", context, status=status)


def _history(request: ConsoleRequest, chosen: ExtractionSettings) -> list[dict[str, Any]]:
    """Who changed what, newest first. The words of the prompt are not in the audit."""
    if not chosen.pk:
        return []
    done_events = history_of(request.project.id, "extraction_settings", chosen.pk).filter(result="done")
    events = list(done_events.order_by("-seq")[:SHOWN])
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return [
        {
            "text": f"{names[f'{event.actor_kind}:{event.actor_id}']} changed {_changes(event.data)}",
            "at": event.at,
            "now": number == 0,
        }
        for number, event in enumerate(events)
    ]


def _changes(data: dict[str, Any]) -> str:
    """ "model to fast, prompt addition"."""
    said = []
    for name in data.get("changed", []):
        label = FIELDS.get(name, name)
        if name in TELLING and name in data:
            value = data[name]
            label += f" to {'none' if value in (None, '') else value}"
        said.append(label)
    return ", ".join(said)
