"""Settings: how a project ranks facts for a question."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.audit.queries import history_of
from apps.console.forms.errors import show_errors
from apps.console.forms.recall import FormulaForm, WeightsForm
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.names import actor_names
from apps.console.shaping.settings import sections
from apps.core.errors import Invalid, Malformed
from apps.recall.actions.change_weights import change_weights
from apps.recall.queries import default_weights, weights_of
from apps.recall.weights import Weights, seed_formula, words_only

SHOWN = 10
PRESETS = {"balanced": "Balanced", "words": "Words only", "formula": "Similarity, recency and importance"}


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("recall.settings")
def weights(request: ConsoleRequest) -> HttpResponse:
    """The form, what it can start from (``?preset=``, which saves nothing), and who changed what. What is saved holds
    from the next question on."""
    now_in_force = weights_of(request.project.id)
    if request.method != "POST":
        return _start(request, now_in_force)
    here = reverse("settings-recall", args=[request.project.slug])
    if request.POST.get("reset"):
        changed = change_weights(actor=request.actor, project_id=request.project.id, weights=None)
        return done(request, here, "The defaults hold again." if changed else "Nothing was different.")
    form = WeightsForm(now_in_force, request.POST)
    if form.is_valid():
        try:
            changed = change_weights(actor=request.actor, project_id=request.project.id, weights=form.weights())
        except Invalid as error:
            show_errors(form, error)
        else:
            return done(
                request, here, "Saved. It holds from the next question on." if changed else "Nothing was different."
            )
    return _page(request, form, FormulaForm(), status=422)


def _start(request: ConsoleRequest, now_in_force: Weights) -> HttpResponse:
    preset = request.GET.get("preset", "")
    formula = FormulaForm(request.GET if preset == "formula" else None)
    if preset and preset not in PRESETS:
        raise Malformed("unknown_choice", "There is no such preset.", parameter="preset")
    if preset == "formula" and not formula.is_valid():
        return _page(request, WeightsForm(now_in_force), formula, status=422)
    shown = now_in_force
    if preset == "balanced":
        shown = default_weights()
    elif preset == "words":
        shown = words_only(now_in_force)
    elif preset == "formula":
        data = formula.cleaned_data
        shown = seed_formula(now_in_force, recency=data["r"], importance=data["i"])
    return _page(request, WeightsForm(shown), formula, preset=PRESETS.get(preset, ""))


def _page(
    request: ConsoleRequest, form: WeightsForm, formula: FormulaForm, *, preset: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "formula": formula,
        "preset": preset,
        "own": weights_of(request.project.id) != default_weights(),
        "events": _history(request),
        "here": reverse("settings-recall", args=[request.project.slug]),
        "sections": sections(request.project.slug, "settings-recall", request.actor),
    }
    return render(request, "console/settings/recall.html", context, status=status)


def _history(request: ConsoleRequest) -> list[dict[str, Any]]:
    """Who changed what, newest first."""
    project_id = request.project.id
    done_events = history_of(project_id, "recall_settings", project_id).filter(result="done")
    events = list(done_events.order_by("-seq")[:SHOWN])
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return [
        {
            "text": f"{names[f'{event.actor_kind}:{event.actor_id}']} {_changes(event.data)}",
            "at": event.at,
            "now": number == 0,
        }
        for number, event in enumerate(events)
    ]


def _changes(data: dict[str, Any]) -> str:
    """ "changed similarity from 0.5 to 0.4, half-life from 90 to 30 days"."""
    said = []
    for name in data["changed"]:
        old, new = (
            f"{value:g}" if isinstance(value, int | float) else value
            for value in (data["old"][name], data["new"][name])
        )
        said.append(
            f"half-life from {old} to {new} days" if name == "half_life_days" else f"{name} from {old} to {new}"
        )
    return ("went back to the defaults: " if data["defaults"] else "changed ") + ", ".join(said)
