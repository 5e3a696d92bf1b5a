"""Traces: what agents did, what was learned from it, and what they had been told."""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.timezone import make_aware
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.finding import LEAST_HEX
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities, wants_fragment
from apps.console.names import actor_names
from apps.console.queries import (
    NAMED,
    PRODUCED,
    TraceFilter,
    agent_names,
    each_of,
    facts_of_trace,
    trace_in_session,
    trace_rows,
)
from apps.console.shaping.conversation import talk_of
from apps.console.shaping.extraction import error_in_words, reader_in_words, runs_of
from apps.console.shaping.links import with_query
from apps.console.shaping.memory_spans import memory_of, memory_spans
from apps.console.shaping.preview import beside_stored
from apps.console.shaping.rows import STATE_LABELS, decided_by
from apps.console.shaping.traces import is_dead, notices, reads_of, state_of, tree_of, whole_span
from apps.core.errors import NotFound
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.curation.models import Proposal
from apps.extraction.actions.extract_again import extract_again
from apps.extraction.preview import preview
from apps.traces.models import HEX_SPAN, HEX_TRACE, Span, Trace

PAGE = 40
STATES = {"waiting": "waiting", "failing": "failed, tried again", "dead": "given up", "mined": "mined"}
TABS = {
    "talk": "Conversation",
    "produced": "Produced",
    "memory": "Memory",
    "runs": "Extraction",
    "spans": "Spans",
}


@require_safe
@project_page("traces.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Traces, newest first, by agent, user, session, state, time, whether anything came of them, and the beginning of
    their id."""
    project, path = request.project, reverse("traces", args=[request.project.slug])
    asked = _asked(request.GET)
    # Anything else than the beginning of an id finds nothing, and is not worth asking the database.
    findable = re.fullmatch(r"[0-9a-f]{0,32}", asked["q"]) is not None
    agents = tuple(asked["agent"])
    wanted = TraceFilter(
        agents=agents,
        # Of fewer digits there are so many that their order would be looked for in all of them.
        trace_id=asked["q"] if findable and len(asked["q"]) >= LEAST_HEX else "",
        user=asked["user"],
        session=asked["session"],
        state=asked["state"],
        learned=bool(asked["learned"]),
    )
    traces = trace_rows(project.id, wanted)
    page = keyset_page(
        traces if findable else traces.none(),
        order=("-started_at", "-id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} traces {sorted(asked.items())}",
        any_of=each_of(traces, wanted) if findable else (),
        between=(_midnight(asked["since"]), _midnight(asked["until"], days=1)),
    )
    chips = _chips(request, path, asked)
    context = {
        "slug": project.slug,
        "path": path,
        "rows": [{"trace": trace, "state": state_of(trace)} for trace in page.rows],
        "asked": asked,
        "states": [{"value": value, "label": label} for value, label in STATES.items()],
        "may_extract": allowed(request.actor, "traces.extract"),
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
        "agent_options": [
            {"value": name, "label": name, "count": None, "checked": name in agents}
            for name in agent_names(project.id, most=NAMED).values()
        ],
        "chips": chips,
        "agents_url": reverse("agents", args=[project.slug]),
        "empty_title": "No trace matches" if chips else "No trace has come in yet",
        "empty_text": "" if chips else "Connect an agent; each of its runs appears here a few seconds later.",
        "empty_actions": [
            {"href": path, "label": "Show all traces", "primary": True}
            if chips
            else {"href": reverse("agents", args=[project.slug]), "label": "Connect an agent", "primary": True}
        ],
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/traces/{template}.html", context)


def _asked(query: QueryDict) -> dict[str, Any]:
    """What the query string says; an unknown state and a day that is none are as good as nothing."""
    asked: dict[str, Any] = {
        name: storable(query.get(name, ""))[0].strip()
        for name in ("q", "user", "session", "state", "learned", "since", "until")
    }
    asked["q"] = asked["q"].lower()
    asked["agent"] = [storable(name)[0] for name in query.getlist("agent") if name]
    asked["state"] = asked["state"] if asked["state"] in STATES else ""
    for name in ("since", "until"):
        asked[name] = asked[name] if _midnight(asked[name]) else ""
    return asked


def _midnight(day: str, days: int = 0) -> datetime | None:
    """Where a day begins in the reader's time zone, or the one ``days`` later."""
    try:
        found = parse_date(day)
        return make_aware(datetime(found.year, found.month, found.day)) + timedelta(days=days) if found else None
    except (ValueError, OverflowError):
        return None


def _chips(request: ConsoleRequest, path: str, asked: dict[str, Any]) -> list[dict[str, str]]:
    agents = asked["agent"]
    chips = [
        {
            "label": "agent",
            "value": name,
            "href": with_query(path, request.GET, agent=[other for other in agents if other != name]),
        }
        for name in agents
    ]
    labels = {"q": "id", "user": "user", "session": "session", "since": "since", "until": "until"}
    chips += [
        {"label": label, "value": asked[name], "href": with_query(path, request.GET, **{name: None})}
        for name, label in labels.items()
        if asked[name]
    ]
    if asked["state"]:
        value = STATES[asked["state"]]
        chips.append({"label": "extraction", "value": value, "href": with_query(path, request.GET, state=None)})
    if asked["learned"]:
        chips.append({"label": "", "value": "has proposals", "href": with_query(path, request.GET, learned=None)})
    return chips


@require_safe
@project_page("traces.read")
def detail(request: ConsoleRequest, trace_id: str) -> HttpResponse:
    """One trace: its head, and by ``tab`` the conversation, what it produced, what was recalled and told, how it was
    mined, or its spans. ``span`` opens one of them in the drawer."""
    trace = _trace(request, trace_id)
    if wants_fragment(request, "trace-state"):
        return render(request, "console/traces/_progress.html", _progress(request, trace, again=True))
    span = _span(request, trace)
    if span and wants_fragment(request, "drawer"):
        return render(request, "console/traces/_span.html", _span_context(span, trace, request))
    chosen = request.GET.get("tab", "")
    tab = chosen if chosen in TABS else "spans" if span else "talk"
    context = {
        "slug": request.project.slug,
        "trace": trace,
        "tab": tab,
        "tabs": _tabs(request, trace, tab),
        "may_extract": allowed(request.actor, "traces.extract"),
        "here": request.path,
        "given_up": error_in_words(trace.dead_reason or "workers lost") if is_dead(trace) else "",
    } | SHOWN[tab](request, trace)
    if wants_fragment(request, "results"):
        return render(request, "console/traces/_tab.html", context)
    slug = request.project.slug
    context |= {
        "notices": list(notices(trace)),
        "list_url": reverse("traces", args=[slug]),
        "subject_url": reverse("subject", args=[slug, trace.subject_id]) if trace.subject_id else "",
        "session_url": _list_url(slug, session=trace.session.external_id) if trace.session else "",
        "memory_url": reverse("session", args=[slug, trace.session_id]) if trace.session_id else "",
        "earlier_url": _trace_url(slug, getattr(trace, "earlier", None)),
        "later_url": _trace_url(slug, getattr(trace, "later", None)),
    } | _progress(request, trace)
    if span:
        context |= _span_context(span, trace, request)
    return render(request, "console/traces/detail.html", context)


def _tabs(request: ConsoleRequest, trace: Trace, tab: str) -> list[dict[str, Any]]:
    counts = {"talk": trace.message_count, "produced": trace.proposal_count, "spans": trace.span_count}
    return [
        {
            "href": request.path + (f"?tab={name}" if name != "talk" else ""),
            "label": label,
            "count": counts.get(name),
            "current": name == tab,
        }
        for name, label in TABS.items()
    ]


def _progress(request: ConsoleRequest, trace: Trace, *, again: bool = False) -> dict[str, Any]:
    """The state of the extraction. While it is under way the page asks for it again; what is done or given up does not
    change by itself."""
    under_way = not (trace.extracted_at or trace.origin or is_dead(trace))
    return {
        "extraction": state_of(trace),
        "under_way": under_way,
        "finished": again and not under_way,
        "here": request.path,
        "trace": trace,
    }


def _list_url(slug: str, **query: str) -> str:
    return f"{reverse('traces', args=[slug])}?{urlencode(query)}"


def _trace_url(slug: str, trace_id: str | None) -> str:
    return reverse("trace", args=[slug, trace_id]) if trace_id else ""


def _talk(request: ConsoleRequest, trace: Trace) -> dict[str, Any]:
    talk = talk_of(
        trace,
        visible_sensitivities(request.actor),
        turn=_number(request.GET.get("turn", "")),
        before=_number(request.GET.get("before", "")),
    )
    return {
        "talk": talk,
        "newer": f"{request.path}?before={talk.earlier}" if talk.earlier is not None else "",
        "older": f"{request.path}?turn={talk.later}" if talk.later is not None else "",
    }


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def _produced(request: ConsoleRequest, trace: Trace) -> dict[str, Any]:
    project, visible = request.project, visible_sensitivities(request.actor)
    proposals = list(
        Proposal.objects.in_project(project.id)
        .filter(source_trace_id=trace.trace_id, sensitivity__in=visible)
        .order_by("-created_at", "-id")[:PRODUCED]
    )
    names = actor_names((one.reviewer for one in proposals), request.actor)
    return {
        "proposals": [
            {
                "proposal": one,
                "verdict": STATE_LABELS[one.state],
                "by": decided_by(one, names.get(one.reviewer, ""), []),
            }
            for one in proposals
        ],
        "waiting": sum(one.state in {"pending", "quarantined"} for one in proposals),
        "review_url": f"{reverse('review', args=[project.slug])}?{urlencode({'trace': trace.trace_id})}",
        "facts": facts_of_trace(project.id, trace.trace_id, visible),
    }


def _memory(request: ConsoleRequest, trace: Trace) -> dict[str, Any]:
    reads = reads_of(trace, visible_sensitivities(request.actor))
    told = [fact for read in reads for fact in read.facts]
    return {
        "memory": memory_of(memory_spans(trace), told),
        "reads": reads,
        "duplicates_url": reverse("duplicates", args=[request.project.slug]),
    }


def _runs(request: ConsoleRequest, trace: Trace) -> dict[str, Any]:
    with_raw = allowed(request.actor, "traces.extract")
    seen = visible_sensitivities(request.actor)
    return {"runs": runs_of(request.project.id, trace.trace_id, seen=seen, with_raw=with_raw)}


def _spans(request: ConsoleRequest, trace: Trace) -> dict[str, Any]:
    return {"tree": tree_of(trace)}


SHOWN = {"talk": _talk, "produced": _produced, "memory": _memory, "runs": _runs, "spans": _spans}


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


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("traces.extract")
def dry_run(request: ConsoleRequest, trace_id: str) -> HttpResponse:
    """POST: what the present extractor would make of the trace, beside what was stored; it takes a moment and keeps
    nothing. Anything else leads to the trace."""
    url = reverse("trace", args=[request.project.slug, trace_id])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    trace, seen = _trace(request, trace_id), visible_sensitivities(request.actor)
    found = preview(actor=request.actor, project_id=request.project.id, trace_id=trace.trace_id)
    rows = beside_stored(found, request.project.id, trace.trace_id, seen)
    context = {
        "slug": request.project.slug,
        "trace": trace,
        "trace_url": url,
        "previewed": found,
        "by": reader_in_words(found.extractor.extractor, found.extractor.version, found.extractor.model),
        "rows": rows,
        "made": sum(outcome is not None and outcome.kind in {"proposed", "held"} for _, outcome in found.found),
    }
    return render(request, "console/traces/preview.html", context)


def _trace(request: ConsoleRequest, trace_id: str) -> Trace:
    trace = trace_in_session(request.project.id, trace_id) if re.fullmatch(HEX_TRACE, trace_id) else None
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
        "back_url": reverse("trace", args=[request.project.slug, trace.trace_id]) + "?tab=spans",
    }
