"""Agents: who reads facts and pushes traces."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.agents import (
    LISTED_DAYS,
    LISTED_WEEK,
    OWN,
    SHOWN_DAYS,
    WEEK,
    agent_rows,
    agents_called,
    agents_shown,
    days_of,
    keys_for,
    machines,
    registrations,
    today,
    told_now,
    versions_of,
)
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.names import actor_names
from apps.console.queries import TraceFilter, trace_rows
from apps.console.shaping.agents import compared
from apps.console.shaping.charts import Part, chart
from apps.console.shaping.connect import snippet
from apps.console.shaping.links import with_query
from apps.console.shaping.sparkline import sparkline
from apps.console.shaping.traces import as_text, state_of
from apps.core.errors import NotFound
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.tenancy.models import Agent

PAGE = 10
TRACES = 10


@require_safe
@project_page("agents.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Agents by name, with their reads of two weeks."""
    project, path = request.project, reverse("agents", args=[request.project.slug])
    words = storable(request.GET.get("q", ""))[0].strip()
    called = agents_called(project, words)
    page = keyset_page(
        called,
        order=("name", "id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} agents {words}",
        any_of=[called] if words else (),
        scattered=bool(words),
    )
    shown = agents_shown(project.id, [agent.id for agent in page.rows])
    context = {
        "slug": project.slug,
        "path": path,
        "agents": page.rows,
        "rows": [
            {
                "agent": agent,
                "told": _capped(shown[agent.id].told, OWN),
                "traces": _capped(shown[agent.id].traces, LISTED_WEEK),
                "reads": sum(shown[agent.id].reads.values()),
                "line": sparkline(shown[agent.id].reads, today(), LISTED_DAYS),
                "last_read_at": shown[agent.id].last_read_at,
                "memory": memory_of(agent),
            }
            for agent in page.rows
            if agent.id in shown
        ],
        "words": words,
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "snippet": snippet("support"),
        "keys_url": reverse("key-new", args=[project.slug]) if allowed(request.actor, "keys.issue") else "",
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/agents/{template}.html", context)


def _capped(number: int, cap: int) -> str:
    return f"{cap:,}+" if number > cap else f"{number:,}"


def memory_of(agent: Agent) -> str:
    """Whether it has memory, as it registered itself: "on", "off", or nothing where it never did."""
    if agent.registered_at is None:
        return ""
    return "on" if agent.definition.get("memory_enabled") is True else "off"


@require_safe
@project_page("agents.read")
def detail(request: ConsoleRequest, agent_id: UUID) -> HttpResponse:
    """One agent: by ``tab`` what it is told now, how often it reads, how it registered itself, and who may read as it."""
    project = request.project
    agent = agent_rows(project).filter(id=agent_id).first()
    if agent is None:
        raise NotFound("not_found", "There is no such agent in this project.")
    tabs = {"told": "Told now", "reads": "Reads", "definition": "Definition"}
    if allowed(request.actor, "keys.read"):
        tabs["keys"] = "Keys and machines"
    tab = request.GET.get("tab", "")
    tab = tab if tab in tabs else "told"
    context = {
        "slug": project.slug,
        "agent": agent,
        "memory": memory_of(agent),
        "week_traces": _capped(getattr(agent, "week_traces", 0), WEEK),
        "tab": tab,
        "tabs": [
            {"href": request.path + (f"?tab={name}" if name != "told" else ""), "label": label, "current": name == tab}
            for name, label in tabs.items()
        ],
        "list_url": reverse("agents", args=[project.slug]),
        "view_url": with_query(reverse("agent-view", args=[project.slug]), QueryDict(), agent=agent.name),
        "dream_url": with_query(reverse("dream-new", args=[project.slug]), QueryDict(), scope="agent", id=agent.name)
        if allowed(request.actor, "dreams.start")
        else "",
        "traces_url": with_query(reverse("traces", args=[project.slug]), QueryDict(), agent=[agent.name])
        if allowed(request.actor, "traces.read")
        else "",
    } | SHOWN[tab](request, agent)
    return render(request, "console/agents/detail.html", context)


def _told(request: ConsoleRequest, agent: Agent) -> dict[str, Any]:
    project = request.project
    told = told_now(project, agent, visible_sensitivities(request.actor))
    found: dict[str, Any] = {
        "facts": told.facts,
        "more": told.more,
        "hidden": told.hidden,
        "facts_url": with_query(reverse("facts", args=[project.slug]), QueryDict(), scope="agent", scope_id=agent.name),
        "may_read_traces": allowed(request.actor, "traces.read"),
    }
    if found["may_read_traces"]:
        traces = trace_rows(project.id, TraceFilter(agents=(agent.name,))).order_by("-started_at", "-id")[:TRACES]
        found["rows"] = [{"trace": trace, "state": state_of(trace)} for trace in traces]
    return found


def _reads(request: ConsoleRequest, agent: Agent) -> dict[str, Any]:
    days = {day.day: day for day in days_of(request.project.id, [agent.id], SHOWN_DAYS).get(agent.id, [])}
    axis = [today() - timedelta(days=back) for back in range(SHOWN_DAYS - 1, -1, -1)]
    reads = [days[day].reads if day in days else 0 for day in axis]
    told = [days[day].told if day in days else 0 for day in axis]
    labels = [f"{day.day} {day:%b}" for day in axis]
    return {
        "reads": sum(reads),
        "told_in_all": sum(told),
        "days": SHOWN_DAYS,
        "chart": chart(
            "reads", "Reads", labels, [Part("reads", reads, total=f"{sum(reads):,}")], unit="a day, UTC", axis="day"
        ),
    }


def _definition(request: ConsoleRequest, agent: Agent) -> dict[str, Any]:
    events = registrations(request.project.id, agent.id)
    versions = versions_of(request.project.id, agent.id)
    kept = {one.version for one in versions}
    names = actor_names((f"{event.actor_kind}:{event.actor_id}" for event in events), request.actor)
    return {
        "events": [
            {
                "link": f"Version {event.data.get('version', '?')}",
                "href": f"{request.path}?tab=definition&new={event.data['version']}#changed"
                if event.data.get("version") in kept and len(kept) > 1
                else "",
                "text": f"registered by {names[f'{event.actor_kind}:{event.actor_id}']}",
                "at": event.at,
                "now": event.data.get("version") == agent.version,
            }
            for event in events
        ],
        "versions": versions,
        "compared": compared(versions, request.GET.get("old", ""), request.GET.get("new", "")),
        "here": request.path,
        "snippet": snippet(agent.name),
        "definition": as_text(agent.definition) if agent.definition else "",
    }


def _keys(request: ConsoleRequest, agent: Agent) -> dict[str, Any]:
    project = request.project
    return {
        "keys": keys_for(project.id, agent.id),
        "machines": machines(project.id, agent),
        "keys_url": reverse("settings-keys", args=[project.slug]),
    }


SHOWN = {"told": _told, "reads": _reads, "definition": _definition, "keys": _keys}
