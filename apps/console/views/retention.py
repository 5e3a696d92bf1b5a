"""Settings: for how long a project keeps what."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.audit.queries import history_of
from apps.console.forms.errors import show_errors
from apps.console.forms.retention import RetentionForm
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.names import actor_names
from apps.console.shaping.settings import sections
from apps.core.counting import MOST
from apps.core.errors import Invalid
from apps.privacy.actions.change_retention import change_retention
from apps.privacy.retention import KINDS, settings_of, waiting

SHOWN = 10


@require_safe
@project_page("retention.read")
def overview(request: ConsoleRequest) -> HttpResponse:
    """What holds, who changed it, and what the purges took."""
    slug, chosen = request.project.slug, settings_of(request.project.id)
    context = {
        "kinds": [{"kind": kind, "days": getattr(chosen, kind.column)} for kind in KINDS],
        "events": _history(request),
        "may_change": allowed(request.actor, "retention.change"),
        "change_url": reverse("retention-change", args=[slug]),
        "sections": sections(slug, "settings-retention", request.actor),
    }
    return render(request, "console/settings/retention.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("retention.change")
def change(request: ConsoleRequest) -> HttpResponse:
    """The form. Where something would go at the next purge, it says how much and asks once more."""
    project_id, url = request.project.id, reverse("settings-retention", args=[request.project.slug])
    chosen = settings_of(project_id)
    form, goes = RetentionForm(chosen, request.POST if request.method == "POST" else None), list[str]()
    if request.method == "POST" and form.is_valid():
        days = form.days()
        goes = _goes({name: days[name] for name in days if days[name] != getattr(chosen, name)}, project_id)
        if not goes or form.cleaned_data["sure"]:
            try:
                changed = change_retention(actor=request.actor, project_id=project_id, days=days)
            except Invalid as error:
                show_errors(form, error)
            else:
                text = "Saved. The next purge, within the hour, goes by it." if changed else "Nothing was different."
                return done(request, url, text)
    context = {"form": form, "goes": goes, "back_url": url}
    return render(request, "console/settings/retention_change.html", context, status=422 if form.errors else 200)


def _goes(days: dict[str, int | None], project_id: int) -> list[str]:
    counts, labels = waiting(project_id, days), {kind.column: kind.label.lower() for kind in KINDS}
    return [
        f"{f'{MOST:,}+' if count > MOST else f'{count:,}'} {labels[name]} older than {days[name]:,} days"
        for name, count in counts.items()
        if count
    ]


def _history(request: ConsoleRequest) -> list[dict[str, Any]]:
    project_id = request.project.id
    rows = history_of(project_id, "retention_settings", project_id).filter(result="done")
    events = list(rows.order_by("-seq")[:SHOWN])
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return [
        {"text": f"{names[f'{event.actor_kind}:{event.actor_id}']} {_said(event.verb, event.data)}", "at": event.at}
        for event in events
    ]


def _said(verb: str, data: dict[str, Any]) -> str:
    if verb == "retention.purge":
        counts = [f"{value:,} {_plain(name)}" for name, value in data.items() if name != "older_than_days"]
        return f"deleted {', '.join(counts)} older than {data.get('older_than_days')} days"
    changes = [f"{_plain(name)} from {_days(one['from'])} to {_days(one['to'])}" for name, one in data.items()]
    return "changed " + ", ".join(changes)


def _plain(name: str) -> str:
    name = name.removesuffix("_days")
    return "rejected proposals" if name == "rejected" else name


def _days(days: int | None) -> str:
    return "for ever" if days is None else f"{days:,} days"
