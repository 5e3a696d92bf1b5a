"""The review queue: one page of it, and what stands around the rows."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, visible_sensitivities
from apps.console.queries import inflow
from apps.console.queue_reads import Around, around
from apps.console.shaping.flags import REASON_LABELS
from apps.console.shaping.later import moments
from apps.console.shaping.links import with_query
from apps.console.shaping.queue_state import DECIDED, FLAGS, GROUPS, SHOWN, QueueState
from apps.console.shaping.rows import STATE_LABELS, grouped, midnight, rows_of
from apps.console.templatetags.console import ago
from apps.core.keyset import Page
from apps.curation import queries as curation
from apps.curation.listing import queue_page
from apps.curation.models import Proposal
from apps.curation.queries import MOST_COUNTED, Counted

PAGE = 30
ORIGIN_LABELS = {
    "extraction": "Conversations",
    "dream": "Dream runs",
    "import": "Imports",
    "api": "API",
    "person": "People",
}
SCOPE_LABELS = {"user": "Users", "agent": "Agents", "project": "Project", "session": "Sessions", "other": "Others"}
MORE = ("agent", "id", "from", "to", "assignee")
"""What the menu "More" holds."""


def _page(request: ConsoleRequest, state: QueueState) -> Page[Proposal]:
    seen = visible_sensitivities(request.actor)
    return queue_page(
        request.project.id,
        state.wanted(request.actor, seen),
        order=state.order,
        cursor=state.get("cursor") or None,
        limit=PAGE,
        headings=state.group == "",
        context=f"{request.project.id} review {state.identity} {seen} {request.actor.id}",
    )


def list_context(
    request: ConsoleRequest, state: QueueState, *, problems: dict[UUID, str] | None = None
) -> dict[str, Any]:
    """One page of the queue with its counts, filters, and what it says when it is empty; ``problems`` are words by the
    id of a proposal that a batch left. Raises Malformed."""
    page = _page(request, state)
    path = reverse("review", args=[request.project.slug])
    proposals = list(page.rows)
    found = around_page(request, state, proposals)
    rows = rows_of(proposals, request.actor, found, problems)
    query = state.query
    context = counts(request, state, found) | {
        "path": path,
        "state": state,
        "groups": grouped(rows, found, state.group),
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
        "chips": _chips(request, path, state, found),
        "carried": state.carried(),
        "clean": sum(row.clean for row in rows),
        "fields": [(name, value) for name in ("show", "group", "trace", "state", "days") if (value := state.get(name))],
        "groupings": _groupings(path, state),
        "more_open": any(state.get(name) for name in MORE),
        "may_decide": allowed(request.actor, "proposals.approve"),
        "reasons": REASON_LABELS,
        "deciders": deciders(request, found),
        "agents": [{"value": one, "label": name} for name, one in sorted((b, a) for a, b in found.agents.items())],
        "moments": moments(),
        "on_page": len(rows),
        "short": page.short,
    }
    if not rows and not page.short:
        context |= _why_empty(request, path, state, context["waiting"])
    return context


def around_page(request: ConsoleRequest, state: QueueState, proposals: list[Proposal]) -> Around:
    return around(
        request.project.id,
        proposals,
        seen=visible_sensitivities(request.actor),
        midnight=midnight(),
        state=state.decided,
        since=state.decided_since,
        traces=state.group == "",
        trace_id=state.get("trace"),
    )


def counts(request: ConsoleRequest, state: QueueState, found: Around) -> dict[str, Any]:
    """What changes with every decision: the counts of the heading, the segment and the day. Each ends at 1,000: where
    there is more, a count of part of the queue is left out, since it would be of the newest thousand."""
    path = reverse("review", args=[request.project.slug])
    seen, project_id = visible_sensitivities(request.actor), request.project.id
    undecided, more = curation.newest_undecided(project_id, seen)
    wanted = state.wanted(request.actor, seen)
    whole = curation.QueueFilter(sensitivities=seen)
    shown = {
        "": whole,
        "mine": replace(whole, assignee=int(request.actor.id)),
        "held": replace(whole, held=True),
        "snoozed": replace(whole, state="snoozed"),
    }
    number = {name: sum(one.matches(filter_) for one in undecided) for name, filter_ in shown.items()}
    if state.decided:
        total: int | str = capped(found.listed)
    else:
        total = sum(one.matches(wanted) for one in undecided)
        total = f"{MOST_COUNTED:,}+" if more and not state.narrowed and not state.shown else f"{total:,}{'+' * more}"
    base = [one for one in undecided if one.matches(shown.get(state.shown, whole))]
    waiting: int | str = f"{MOST_COUNTED:,}+" if more else number[""]
    return {
        "slug": request.project.slug,
        "total": total,
        "waiting": number[""],
        "nav_count": waiting,
        "listed": STATE_LABELS.get(state.decided, "put off" if state.shown == "snoozed" else "waiting").lower(),
        "today": {name: found.today.get(name, 0) for name in ("applied", "rejected", "conflicted")},
        "progress": _progress(state, found, number[""]),
        "decided_links": {name: with_query(path, QueryDict(), state=name) for name in DECIDED},
        "segment": [
            {
                "href": with_query(path, state.query, show=name, state=None, days=None),
                "label": label,
                "count": waiting if not name else None if more else number[name],
                "current": name == state.shown and not state.decided,
            }
            for name, label in SHOWN.items()
        ],
        "flag_options": _options(FLAGS, state.flags, base, more, lambda one: one.flags or ["none"]),
        "origin_options": _options(ORIGIN_LABELS, state.origins, base, more, lambda one: [one.origin]),
        "scope_options": _options(SCOPE_LABELS, state.scopes, base, more, lambda one: [one.scope]),
    }


def capped(number: int) -> str:
    return f"{MOST_COUNTED:,}+" if number > MOST_COUNTED else f"{number:,}"


def _options(
    labels: dict[str, str],
    chosen: tuple[str, ...],
    base: list[Counted],
    more: bool,
    values: Callable[[Counted], Iterable[str]],
) -> list[dict[str, Any]]:
    found = Counter(value for one in base for value in values(one))
    return [
        {"value": name, "label": label, "count": None if more else found[name], "checked": name in chosen}
        for name, label in labels.items()
        if found[name] or name in chosen or more
    ]


def _progress(state: QueueState, found: Around, waiting: int) -> dict[str, Any] | None:
    """How far somebody is: of the one trace that is listed, else of what waited today."""
    trace = found.traces.get(state.get("trace"))
    if trace is not None:
        return {"decided": trace.decided, "total": trace.total, "of": "of this trace"}
    decided = sum(found.today.values())
    return {"decided": decided, "total": decided + waiting, "of": "today"} if decided and not state.decided else None


def deciders(request: ConsoleRequest, found: Around) -> list[dict[str, Any]]:
    """Who may be given proposals, the reader first."""
    me = int(request.actor.id)
    others = sorted((name, one) for one in found.deciders if one != me and (name := found.users[one]))
    mine = [{"value": me, "label": "Me"}] if me in found.deciders else []
    return mine + [{"value": one, "label": name} for name, one in others]


def _groupings(path: str, state: QueueState) -> list[dict[str, Any]]:
    return [
        {"href": with_query(path, state.query, group=name), "label": label, "current": name == state.group}
        for name, label in GROUPS.items()
    ]


def _chips(request: ConsoleRequest, path: str, state: QueueState, found: Around) -> list[dict[str, str]]:
    several = [
        ("flag", FLAGS, state.flags),
        ("from", ORIGIN_LABELS, state.origins),
        ("scope", SCOPE_LABELS, state.scopes),
    ]
    names = {"flag": "flag", "from": "origin", "scope": "scope"}
    chips = []
    for label, labels, chosen in several:
        for one in chosen:
            rest = [other for other in chosen if other != one]
            href = with_query(path, state.query, **{names[label]: rest})
            chips.append({"label": label, "value": labels[one].lower(), "href": href})
    said: dict[str, tuple[str, Callable[[str], str]]] = {
        "id": ("id", str),
        "agent": ("agent", lambda value: found.agents.get(value, value[:8])),
        "from": ("confidence from", str),
        "to": ("confidence to", str),
        "assignee": (
            "assigned to",
            lambda value: found.users.get(int(value), "nobody" if value == "0" else "a member"),
        ),
        "trace": ("trace", lambda value: value[:8]),
        "state": ("state", lambda value: DECIDED[value].lower()),
        "days": ("decided in", lambda value: f"{value} days"),
    }
    for name, (label, words) in said.items():
        if value := state.get(name):
            href = with_query(path, state.query, **{name: None})
            chips.append({"label": label, "value": words(value), "href": href})
    return chips


def _why_empty(request: ConsoleRequest, path: str, state: QueueState, waiting: int) -> dict[str, Any]:
    whole = {"href": path, "label": "Show the whole queue", "primary": True}
    if state.narrowed or state.shown == "held":
        return {"empty_icon": "filter", "empty_title": "No proposal matches", "empty_actions": [whole]}
    if state.shown:
        title = "Nothing is assigned to you" if state.shown == "mine" else "Nothing is put off"
        others = f"{waiting:,} wait{'s' * (waiting == 1)} in the whole queue." if waiting else ""
        return {"empty_icon": "review", "empty_title": title, "empty_text": others, "empty_actions": [whole]}
    flow = inflow(request.project.id)
    if flow.last_at is None:
        text = "No trace has come in yet. Connect an agent, and what its users say will be proposed here."
        actions = [{"href": reverse("agents", args=[request.project.slug]), "label": "Connect an agent"}]
    else:
        mined = {0: "No trace waits", 1: "One trace waits"}.get(flow.waiting, f"{flow.waiting:,} traces wait")
        text = f"The last trace came in {since(ago(flow.last_at))}. {mined} to be mined."
        actions = [{"href": reverse("traces", args=[request.project.slug]), "label": "See the traces"}]
    return {
        "empty_icon": "review",
        "empty_title": "Nothing to review",
        "empty_text": text,
        "empty_actions": actions,
    }


def since(span: str) -> str:
    """ "5 min ago" of "5 min"."""
    return "just now" if span == "now" else f"{span} ago"
