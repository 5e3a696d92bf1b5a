"""Agents: who reads facts and pushes traces."""

from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.queries import TraceFilter, agent_rows, told_now, trace_rows
from apps.console.shaping.connect import snippet
from apps.console.shaping.links import with_query
from apps.console.shaping.traces import as_text, state_of
from apps.core.errors import NotFound
from apps.core.keyset import keyset_page
from apps.core.text import storable

PAGE = 50
TOLD = 50
TRACES = 10


@require_safe
@project_page("agents.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Agents by name."""
    project, path = request.project, reverse("agents", args=[request.project.slug])
    words = storable(request.GET.get("q", ""))[0].strip()
    page = keyset_page(
        agent_rows(project.id, words),
        order=("name", "id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} agents {words}",
    )
    context = {
        "slug": project.slug,
        "path": path,
        "agents": page.rows,
        "words": words,
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "snippet": snippet("support"),
        "keys_url": reverse("key-new", args=[project.slug]) if allowed(request.actor, "keys.issue") else "",
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/agents/{template}.html", context)


@require_safe
@project_page("agents.read")
def detail(request: ConsoleRequest, agent_id: UUID) -> HttpResponse:
    """One agent: how to connect it, what it is told now, what it did last."""
    project, visible = request.project, visible_sensitivities(request.actor)
    agent = agent_rows(project.id, "").filter(id=agent_id).first()
    if agent is None:
        raise NotFound("not_found", "There is no such agent in this project.")
    told = told_now(project.id, agent)
    seen = told.filter(sensitivity__in=visible)
    count, shown = told.count(), list(seen[:TOLD])
    context = {
        "slug": project.slug,
        "agent": agent,
        "snippet": snippet(agent.name),
        "definition": as_text(agent.definition) if agent.definition else "",
        "facts": shown,
        "told": count,
        "hidden": count - seen.count(),
        "facts_url": reverse("facts", args=[project.slug]),
        "list_url": reverse("agents", args=[project.slug]),
        "view_url": with_query(reverse("agent-view", args=[project.slug]), QueryDict(), agent=agent.name),
        "may_read_traces": allowed(request.actor, "traces.read"),
    }
    if context["may_read_traces"]:
        traces = trace_rows(project.id, TraceFilter(agents=(agent.name,))).order_by("-started_at", "-id")[:TRACES]
        context |= {
            "rows": [{"trace": trace, "state": state_of(trace)} for trace in traces],
            "traces_url": with_query(reverse("traces", args=[project.slug]), request.GET.copy(), agent=[agent.name]),
        }
    return render(request, "console/agents/detail.html", context)
