"""Traces: what agents did, what was learned from it, and what they had been told."""

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities, wants_fragment
from apps.console.queries import agent_names, facts_of_trace, trace_rows
from apps.console.shaping.extraction import error_in_words, runs_of
from apps.console.shaping.links import with_query
from apps.console.shaping.rows import rows_of
from apps.console.shaping.traces import (
    is_dead,
    notices,
    reads_of,
    state_of,
    tree_of,
    turns_of,
    whole_span,
)
from apps.core.errors import NotFound
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.curation.models import Proposal
from apps.extraction.actions.extract_again import extract_again
from apps.traces.models import HEX_SPAN, HEX_TRACE, Span, Trace

PAGE = 50
MOST = 200
STATES = {"waiting": "waiting", "failing": "failed, tried again", "dead": "given up"}


@require_safe
@project_page("traces.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Traces, newest first, by agent and by the beginning of their id."""
    project, path = request.project, reverse("traces", args=[request.project.slug])
    agents = [storable(name)[0] for name in request.GET.getlist("agent") if name]
    typed = request.GET.get("q", "").strip().lower()
    # Anything else than the beginning of an id finds nothing, and is not worth asking the database.
    findable = re.fullmatch(r"[0-9a-f]{0,32}", typed) is not None
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    traces = trace_rows(project.id, agents=agents, trace_id=typed if findable else "", state=state)
    page = keyset_page(
        traces if findable else traces.none(),
        order=("-started_at", "-id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} traces {agents} {typed} {state}",
    )
    filtered = bool(agents or typed or state)
    context = {
        "slug": project.slug,
        "path": path,
        "rows": [{"trace": trace, "state": state_of(trace)} for trace in page.rows],
        "typed": typed,
        "shown": state,
        "may_extract": allowed(request.actor, "traces.extract"),
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "agent_options": [
            {"value": name, "label": name, "count": None, "checked": name in agents}
            for name in agent_names(project.id).values()
        ],
        "chips": _chips(request, path, agents, typed, state),
        "agents_url": reverse("agents", args=[project.slug]),
        "empty_title": "No trace matches" if filtered else "No trace has come in yet",
        "empty_text": "" if filtered else "Connect an agent; each of its runs appears here a few seconds later.",
        "empty_actions": [
            {"href": path, "label": "Show all traces", "primary": True}
            if filtered
            else {"href": reverse("agents", args=[project.slug]), "label": "Connect an agent", "primary": True}
        ],
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/traces/{template}.html", context)


def _chips(request: ConsoleRequest, path: str, agents: list[str], typed: str, state: str) -> list[dict[str, str]]:
    chips = [
        {
            "label": "agent",
            "value": name,
            "href": with_query(path, request.GET, agent=[other for other in agents if other != name]),
        }
        for name in agents
    ]
    if typed:
        chips.append({"label": "id", "value": typed, "href": with_query(path, request.GET, q=None)})
    if state:
        chips.append({"label": "extraction", "value": STATES[state], "href": with_query(path, request.GET, state=None)})
    return chips


@require_safe
@project_page("traces.read")
def detail(request: ConsoleRequest, trace_id: str) -> HttpResponse:
    """One trace: conversation, what it produced, what was read, its spans. ``span`` opens one of them in the
    drawer."""
    trace = _trace(request, trace_id)
    span = _span(request, trace)
    if span and wants_fragment(request, "drawer"):
        return render(request, "console/traces/_span.html", _span_context(span, trace, request))
    project, visible = request.project, visible_sensitivities(request.actor)
    proposals = (
        Proposal.objects.in_project(project.id)
        .filter(source_trace_id=trace.trace_id, sensitivity__in=visible)
        .order_by("-created_at", "-id")
    )
    may_extract = allowed(request.actor, "traces.extract")
    turns = turns_of(trace)
    runs = runs_of(project.id, trace.trace_id, seen=visible, with_raw=may_extract)
    context = {
        "slug": project.slug,
        "trace": trace,
        "extraction": state_of(trace),
        "notices": list(notices(trace)),
        "turns": turns,
        "marked": any(part.mark for turn in turns for part in turn.parts),
        "proposals": rows_of(list(proposals[:MOST]), request.actor),
        "waiting": proposals.waiting().count(),
        "review_url": f"{reverse('review', args=[project.slug])}?{urlencode({'trace': trace.trace_id})}",
        "facts": facts_of_trace(project.id, trace.trace_id, visible),
        "runs": runs,
        "given_up": error_in_words(trace.dead_reason or "workers lost") if is_dead(trace) else "",
        "reads": reads_of(trace, visible),
        "tree": tree_of(trace),
        "may_extract": may_extract,
        "list_url": reverse("traces", args=[project.slug]),
        "here": request.path,
    }
    if span:
        context |= _span_context(span, trace, request)
    return render(request, "console/traces/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("traces.extract")
def extract(request: ConsoleRequest, trace_id: str) -> HttpResponse:
    """POST: queue the trace once more. Anything else leads to the trace."""
    url = reverse("trace", args=[request.project.slug, trace_id])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    trace = _trace(request, trace_id)
    extract_again(actor=request.actor, project_id=request.project.id, trace_id=trace.trace_id)
    return done(request, url, "The trace is queued and will be mined again in a moment.")


def _trace(request: ConsoleRequest, trace_id: str) -> Trace:
    trace = None
    if re.fullmatch(HEX_TRACE, trace_id):
        trace = (
            Trace.objects.filter(project_id=request.project.id, trace_id=trace_id)
            .select_related("subject", "session")
            .first()
        )
    if trace is None:
        raise NotFound("not_found", "There is no such trace in this project.")
    return trace


def _span(request: ConsoleRequest, trace: Trace) -> Span | None:
    wanted = request.GET.get("span", "")
    if not re.fullmatch(HEX_SPAN, wanted):
        return None
    return Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id, span_id=wanted).first()


def _span_context(span: Span, trace: Trace, request: ConsoleRequest) -> dict[str, Any]:
    return {
        "span": span,
        "span_text": whole_span(span),
        "back_url": reverse("trace", args=[request.project.slug, trace.trace_id]),
    }
