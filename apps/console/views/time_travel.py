"""Time travel: what was true at a moment, what became of it, and what was told then."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed, require
from apps.console.forms.time_travel import SHOWN, MomentForm
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.queries import NAMED, agent_called, agent_names
from apps.console.shaping.moments import in_words, written
from apps.console.shaping.time_travel import reads_in_words, rows_of
from apps.core.clock import now
from apps.core.keyset import keyset_page
from apps.facts.facets import Count
from apps.facts.models import SCOPES, Fact
from apps.facts.querysets import FactQuerySet
from apps.recall.history import LOOKED_AT, reads_until, since
from apps.tenancy.models import Agent
from apps.tenancy.queries import find_subject

PAGE = 50
READS = 20
AGO = {
    "five minutes ago": timedelta(minutes=5),
    "an hour ago": timedelta(hours=1),
    "yesterday": timedelta(days=1),
    "a week ago": timedelta(days=7),
    "30 days ago": timedelta(days=30),
}


@require_safe
@project_page("facts.read")
def page(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/time-travel`: the page, or for htmx the part ``results`` alone."""
    form = MomentForm(request.GET, project=request.project)
    part = wants_fragment(request, "results")
    names = {} if part else agent_names(request.project.id, most=NAMED)
    context = _read(request, form, names)
    status = 422 if context.get("faults") else 200
    if part:
        return render(request, "console/time_travel/results.html", context, status=status)
    context |= {
        "agents": list(names.values()),
        "scopes": SCOPES,
        "now_field": f"{now():%Y-%m-%dT%H:%M}",
    }
    return render(request, "console/time_travel/page.html", context, status=status)


def _read(request: ConsoleRequest, form: MomentForm, names: dict[UUID, str]) -> dict[str, Any]:
    project = request.project
    path = reverse("time-travel", args=[project.slug])
    context: dict[str, Any] = {"slug": project.slug, "path": path, "form": form}
    if not form.is_valid():
        return context | {"faults": form.faults()}
    at: datetime | None = form.cleaned_data["at"]
    agent = None
    if name := form.cleaned_data["agent"]:
        agent = agent_called(project.id, name, names)
        if agent is None:
            return context | {"faults": ["Agent: There is none of this name in this project."]}
    if at is None:
        return context | {"moments": _moments(request, form)}
    given = form.given()
    shown = given.get("show", "")
    visible = visible_sensitivities(request.actor)
    context |= {
        "at": at,
        "as_of": in_words(at),
        "agent": agent,
        "given": given,
        "shown": shown,
        "hidden": len(visible) < 4,
        "now_href": f"{path}?{urlencode({k: v for k, v in given.items() if k != 'at'})}",
        "view_href": reverse("agent-view", args=[project.slug])
        + "?"
        + urlencode({k: v for k, v in given.items() if k in {"agent", "user", "at"}}),
    }
    with_reads = allowed(request.actor, "facts.read_personal")
    if shown == "read":
        # Whom an agent spoke with, and when, is personal.
        require(request.actor, "facts.read_personal", project_id=project.id)
        context["segment"] = _segment(path, given, {}, shown, with_reads=with_reads)
        return context | _reads(request, agent, given, at, visible)
    # One scope id is walked along its own index, anything else along that of all.
    along = Fact.objects.in_project(project.id).filter(_one_place(agent, given.get("user", ""), given.get("scope", "")))
    here = _place(agent, given.get("user", ""), given.get("scope", "")) & Q(sensitivity__in=visible)
    facts = along.filter(here)
    conditions = since(project.id, at)
    # Later pages say no counts, which would be looked up again for each.
    look = None if request.GET.get("cursor") else conditions.look(along, here)
    end = look.ends[shown or "held"] if look else 0
    edge = None if look is None else [end] if end else []
    context["segment"] = _segment(path, given, look.counts if look else {}, shown, with_reads=with_reads)
    name = shown or "held"
    facts, along = conditions.among(facts, name).filter(getattr(conditions, name)), conditions.among(along, name)
    return context | _facts(request, facts, along, given, visible, edge)


def _place(agent: Agent | None, user: str, scope: str) -> Q:
    """The facts that a read of this agent for this user may draw on; without either, all."""
    place = Q()
    if agent is not None:
        place = Q(scope="agent", agent_id=agent.id) | Q(scope="project")
    if user:
        through = Q() if agent is None else Q(agent_id=None) | Q(agent_id=agent.id)
        place |= Q(through, scope="user", scope_id=user)
    return place & Q(scope=scope) if scope else place


def _one_place(agent: Agent | None, user: str, scope: str) -> Q:
    """The scope id that `_place` comes to, where it is one."""
    if user and (agent is None or scope == "user"):
        return Q(scope="user", scope_id=user)
    return Q(scope=scope) if scope else Q()


def _facts(
    request: ConsoleRequest,
    facts: FactQuerySet,
    along: FactQuerySet,
    given: dict[str, str],
    visible: tuple[str, ...],
    edge: list[int] | None,
) -> dict[str, Any]:
    project = request.project
    path, query = reverse("time-travel", args=[project.slug]), urlencode(given)
    found = keyset_page(
        facts.select_related("superseded_by"),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} time-travel {query} {','.join(visible)}",
        among=along,
        most=LOOKED_AT,
        edge=edge,
    )
    return {
        "rows": rows_of(project, found.rows, visible),
        "short": found.short,
        "newer": f"{path}?{query}&{urlencode({'cursor': found.newer})}" if found.newer else "",
        "older": f"{path}?{query}&{urlencode({'cursor': found.older})}" if found.older else "",
        "pager_text": f"{len(found.rows)} on this page" if found.rows else "",
    }


def _reads(
    request: ConsoleRequest, agent: Agent | None, given: dict[str, str], at: datetime, visible: tuple[str, ...]
) -> dict[str, Any]:
    user = given.get("user", "")
    if agent is None and not user:
        return {"reads": [], "needs_whom": True}
    subject = find_subject(project_id=request.project.id, external_id=user) if user else None
    if user and subject is None:
        return {"reads": []}
    reads = reads_until(
        request.project.id,
        at,
        agent_id=agent.id if agent else None,
        subject_id=subject.id if subject else None,
        limit=READS,
    )
    return {"reads": reads_in_words(request.project, reads, request.actor, visible)}


def _segment(
    path: str, given: dict[str, str], counts: dict[str, Count], shown: str, *, with_reads: bool
) -> list[dict[str, Any]]:
    rest = {name: value for name, value in given.items() if name != "show"}
    return [
        {
            "href": f"{path}?{urlencode(rest | ({'show': name} if name else {}))}",
            "label": label,
            "count": str(counts[name or "held"]) if (name or "held") in counts else None,
            "current": name == shown,
        }
        for name, label in SHOWN.items()
        if name != "read" or with_reads
    ]


def _moments(request: ConsoleRequest, form: MomentForm) -> list[dict[str, str]]:
    """Links to moments that are nearly always of use, as far as the project goes back."""
    path, at = reverse("time-travel", args=[request.project.slug]), now().replace(second=0)
    rest = {name: form.cleaned_data[name] for name in ("agent", "user", "scope") if form.cleaned_data[name]}
    return [
        {"label": label, "href": f"{path}?{urlencode({'at': written(at - ago)} | rest)}"}
        for label, ago in AGO.items()
        if at - ago > request.project.created_at + timedelta(minutes=1)
    ]
