"""Settings: for how long a project keeps what."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.audit.queries import history_of
from apps.console.forms.errors import show_errors
from apps.console.forms.retention import RetentionForm
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.names import actor_names
from apps.console.shaping.retention import counted, kinds_of, said
from apps.console.shaping.settings import sections
from apps.core.errors import Invalid, NotFound
from apps.privacy.actions.change_retention import change_retention, drop_retention, wanted_rule
from apps.privacy.models import RetentionRule
from apps.privacy.retention import due, rules_of, steps_of

SHOWN = 10


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("retention.read")
def overview(request: ConsoleRequest) -> HttpResponse:
    """What holds, who changed it, and what the purges took. POST counts what is due now by each rule, and changes nothing."""
    slug, rules = request.project.slug, rules_of(request.project.id)
    counts = due(request.project.id, rules, rules) if request.method == "POST" else None
    context = {
        "slug": slug,
        "kinds": kinds_of(rules, counts),
        "counted": counts is not None,
        "events": _history(request),
        "may_change": allowed(request.actor, "retention.change"),
        "any": bool(rules),
        "sections": sections(slug, "settings-retention", request.actor),
    }
    return render(request, "console/settings/retention.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("retention.change")
def change(request: ConsoleRequest) -> HttpResponse:
    """The form of a rule, `?rule=` for one there is, `?store=` for a new one. Where something is due by it, it says how much
    and asks once more; with ``do=drop`` the rule goes."""
    project_id, url = request.project.id, reverse("settings-retention", args=[request.project.slug])
    rule = _rule(request)
    if request.method == "POST" and request.POST.get("do") == "drop":
        if rule is None:
            raise NotFound("not_found", "There is no such rule in this project.")
        drop_retention(actor=request.actor, project_id=project_id, rule_id=rule.id)
        return done(request, url, "Dropped. What it was about is kept by the next wider rule, or for ever.")
    form = RetentionForm(
        rule, request.POST if request.method == "POST" else None, {"store": request.GET.get("store", "facts")}
    )
    goes = list[str]()
    if request.method == "POST" and form.is_valid():
        try:
            goes = [] if form.cleaned_data["sure"] else _goes(project_id, form.wanted())
            if not goes:
                change_retention(actor=request.actor, project_id=project_id, **form.wanted())
                return done(request, url, "Saved. The next purge, within the hour, goes by it.")
        except Invalid as error:
            show_errors(form, error)
    context = {"form": form, "goes": goes, "back_url": url, "rule": rule}
    return render(request, "console/settings/retention_change.html", context, status=422 if form.errors else 200)


def _rule(request: ConsoleRequest) -> RetentionRule | None:
    number = request.GET.get("rule", "")
    if not number:
        return None
    rows = RetentionRule.objects.filter(project_id=request.project.id)
    found = (
        rows.filter(id=int(number)).first() if number.isascii() and number.isdecimal() and len(number) < 18 else None
    )
    if found is None:
        raise NotFound("not_found", "There is no such rule in this project.")
    return found


def _goes(project_id: int, wanted: dict[str, Any]) -> list[str]:
    """A dry run of the rule as it would be, among the others as they are."""
    rule = wanted_rule(project_id, **wanted)
    same = ("store", "scope", "category", "sensitivity")
    others = [one for one in rules_of(project_id) if any(getattr(one, name) != getattr(rule, name) for name in same)]
    counts = due(project_id, [*others, rule], [rule])
    return [counted(rule, step, counts[None, step.name]) for step in steps_of(rule) if counts[None, step.name]]


def _history(request: ConsoleRequest) -> list[dict[str, Any]]:
    project_id = request.project.id
    rows = history_of(project_id, "retention_settings", project_id).filter(result="done")
    events = list(rows.order_by("-seq")[:SHOWN])
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return [
        {"text": f"{names[f'{event.actor_kind}:{event.actor_id}']} {said(event.verb, event.data)}", "at": event.at}
        for event in events
    ]
