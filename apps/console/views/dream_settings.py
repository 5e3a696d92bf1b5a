"""Settings: how a project's facts are consolidated."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.audit.queries import history_of
from apps.console.forms.dreaming import DreamingForm
from apps.console.forms.errors import show_errors
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.names import actor_names
from apps.console.shaping.settings import sections
from apps.core.errors import Invalid
from apps.dreaming.actions.change_settings import change_settings
from apps.dreaming.models import DreamSettings
from apps.dreaming.queries import settings_of
from apps.inference.chat import model_choices

SHOWN = 10
OFF = {"schedule_hours", "threshold", "fact_cap"}
"""Settings that may be none."""


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("dreams.settings")
def dreaming(request: ConsoleRequest) -> HttpResponse:
    """The form, and who changed what. What is saved holds for runs that are started from then on."""
    chosen, models = settings_of(request.project.id), model_choices()
    if request.method != "POST":
        return _page(request, DreamingForm(chosen, models), chosen)
    form = DreamingForm(chosen, models, request.POST)
    if form.is_valid():
        before = chosen.updated_at if chosen.pk else None
        try:
            saved = change_settings(actor=request.actor, project_id=request.project.id, choice=form.choice())
        except Invalid as error:
            show_errors(form, error)
        else:
            text = (
                "Nothing was different."
                if before == saved.updated_at
                else "Saved. It holds for runs started from now on."
            )
            return done(request, reverse("settings-dreaming", args=[request.project.slug]), text)
    return _page(request, form, chosen, status=422)


def _page(request: ConsoleRequest, form: DreamingForm, chosen: DreamSettings, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "lost_model": chosen.model if chosen.engine == "llm" and chosen.model not in model_choices() else "",
        "events": _history(request, chosen),
        "slug": request.project.slug,
        "sections": sections(request.project.slug, "settings-dreaming", request.actor),
        "may_read": allowed(request.actor, "dreams.read"),
    }
    return render(request, "console/settings/dreaming.html", context, status=status)


def _history(request: ConsoleRequest, chosen: DreamSettings) -> list[dict[str, Any]]:
    """Who changed what, newest first."""
    if not chosen.pk:
        return []
    events = list(
        history_of(request.project.id, "dream_settings", chosen.pk).filter(result="done").order_by("-seq")[:SHOWN]
    )
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return [
        {
            "text": f"{names[f'{event.actor_kind}:{event.actor_id}']} changed {_changes(event.data)}",
            "at": event.at,
            "now": place == 0,
        }
        for place, event in enumerate(events)
    ]


def _changes(data: dict[str, Any]) -> str:
    """ "who reads the facts to llm, every so many hours to off"."""
    said = []
    for name in data.get("changed", []):
        field = DreamingForm.base_fields.get(name)
        label = str(field.label if field else name)
        value = data.get(name)
        word = {True: "on", False: "off"}.get(value) if isinstance(value, bool) else "off" if value is None else value
        said.append(f"{label[:1].lower()}{label[1:]} to {word if word != '' else 'none'}")
    return "; ".join(said)
