"""The review queue: what its query string means, and what stands around the rows."""

import re
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from apps.console.hx import ConsoleRequest, visible_sensitivities
from apps.console.queries import inflow, queue_counts
from apps.console.shaping.flags import FLAG_LABELS
from apps.console.shaping.links import with_query
from apps.console.shaping.review import STATE_LABELS, grouped, rows_of
from apps.console.templatetags.console import ago
from apps.core.keyset import Page, keyset_page
from apps.curation import queries as curation
from apps.curation.models import Proposal
from apps.curation.queries import QueueFilter
from apps.curation.querysets import ProposalQuerySet
from apps.traces.models import HEX_TRACE

PAGE = 50
ORDER = ("-created_at", "-id")
SHOWN = {"": "All", "user": "Users", "agent": "Agents", "project": "Projects", "held": "Held"}
DECIDED = {"applied": "Approved", "rejected": "Rejected", "conflicted": "Overtaken"}


@dataclass(frozen=True)
class QueueState:
    """What the query string says about the list. Unknown values are as good as none; ``query`` holds the others."""

    query: QueryDict
    shown: str
    flags: tuple[str, ...]
    trace_id: str
    state: str

    @classmethod
    def read(cls, query: QueryDict) -> "QueueState":
        flags = [flag for flag in FLAG_LABELS if flag in query.getlist("flag")]
        trace_id = query.get("trace", "")
        chosen = {
            "show": [name for name in [query.get("show", "")] if name in SHOWN],
            "flag": flags,
            "trace": [trace_id] if re.fullmatch(HEX_TRACE, trace_id) else [],
            "state": [name for name in [query.get("state", "")] if name in DECIDED],
            "cursor": query.getlist("cursor")[:1],
        }
        clean = QueryDict(mutable=True)
        for name, values in chosen.items():
            if any(values):
                clean.setlist(name, values)
        return cls(
            query=clean,
            shown=clean.get("show", ""),
            flags=tuple(flags),
            trace_id=clean.get("trace", ""),
            state=clean.get("state", ""),
        )

    @property
    def identity(self) -> str:
        """What a cursor of this list is good for."""
        return f"{self.shown} {self.flags} {self.trace_id} {self.state}"

    def wanted(self, sensitivities: tuple[str, ...]) -> QueueFilter:
        return QueueFilter(state=self.state or "waiting", trace_id=self.trace_id, sensitivities=sensitivities)

    def narrowed(self, proposals: ProposalQuerySet) -> ProposalQuerySet:
        if self.shown == "held":
            proposals = proposals.filter(state="quarantined")
        elif self.shown:
            proposals = proposals.filter(scope=self.shown)
        return proposals.filter(flags__overlap=list(self.flags)) if self.flags else proposals

    def carried(self, **changes: str) -> str:
        """The query string of the list without its open row, for links and forms that lead back."""
        kept = {"cursor": self.query.get("cursor", "")} | changes
        return with_query("", self.query, **kept).removeprefix("?")


def _page(request: ConsoleRequest, state: QueueState) -> Page[Proposal]:
    sensitivities = visible_sensitivities(request.actor)
    return keyset_page(
        state.narrowed(curation.queue(request.project.id, state.wanted(sensitivities))),
        order=ORDER,
        cursor=state.query.get("cursor") or None,
        limit=PAGE,
        context=f"{request.project.id} review {state.identity} {sensitivities}",
    )


def list_context(request: ConsoleRequest, state: QueueState) -> dict[str, Any]:
    """One page of the queue with its counts, filters, and what it says when it is empty. Raises Malformed."""
    page = _page(request, state)
    path = reverse("review", args=[request.project.slug])
    query = state.query
    rows = rows_of(page.rows, request.actor)
    groups = grouped(rows, request.project.id)
    context = counts(request, state) | {
        "path": path,
        "groups": groups,
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
        "pager_text": _on_this_page(len(rows), sum(bool(group.trace_id) for group in groups)) if rows else "",
        "chips": _chips(path, state),
        "carried": state.carried(),
        "fields": [(name, value) for name in ("show", "trace", "state") if (value := query.get(name, ""))],
    }
    if not rows:
        filtered = bool(state.shown or state.flags or state.trace_id or state.state)
        context |= _why_empty(request, path, filtered=filtered)
    return context


def counts(request: ConsoleRequest, state: QueueState) -> dict[str, Any]:
    """What changes with every decision: the counts of the heading, the segment and the day."""
    path = reverse("review", args=[request.project.slug])
    seen = visible_sensitivities(request.actor)
    found = queue_counts(request.project.id, state.wanted(seen))
    today = curation.decided_counts(
        request.project.id, timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    )
    return {
        "slug": request.project.slug,
        "total": found.shown[""],
        "nav_count": Proposal.objects.in_project(request.project.id).waiting().filter(sensitivity__in=seen).count(),
        "listed": STATE_LABELS.get(state.state, "waiting").lower(),
        "today": {name: today.get(name, 0) for name in DECIDED},
        "decided_links": {name: with_query(path, QueryDict(), state=name) for name in DECIDED},
        "segment": [
            {
                "href": with_query(path, state.query, show=name),
                "label": label,
                "count": found.shown.get(name, 0),
                "current": name == state.shown,
            }
            for name, label in SHOWN.items()
        ],
        "flag_options": [
            {"value": name, "label": label, "count": found.flags.get(name, 0), "checked": name in state.flags}
            for name, label in FLAG_LABELS.items()
            if found.flags.get(name) or name in state.flags
        ],
    }


def _on_this_page(rows: int, traces: int) -> str:
    text = f"{rows} proposal{'' if rows == 1 else 's'}"
    return f"{text} in {traces} trace{'' if traces == 1 else 's'} on this page" if traces else f"{text} on this page"


def _chips(path: str, state: QueueState) -> list[dict[str, str]]:
    chips = [
        {
            "label": "flag",
            "value": FLAG_LABELS[flag].lower(),
            "href": with_query(path, state.query, flag=[other for other in state.flags if other != flag]),
        }
        for flag in state.flags
    ]
    if state.trace_id:
        href = with_query(path, state.query, trace=None)
        chips.append({"label": "trace", "value": state.trace_id[:8], "href": href})
    if state.state:
        href = with_query(path, state.query, state=None)
        chips.append({"label": "state", "value": DECIDED[state.state].lower(), "href": href})
    return chips


def _why_empty(request: ConsoleRequest, path: str, *, filtered: bool) -> dict[str, Any]:
    if filtered:
        return {
            "empty_icon": "filter",
            "empty_title": "No proposal matches",
            "empty_actions": [{"href": path, "label": "Show the whole queue", "primary": True}],
        }
    flow = inflow(request.project.id)
    if flow.last_at is None:
        text = "No trace has come in yet. Connect an agent, and what its users say will be proposed here."
        actions = [{"href": reverse("agents", args=[request.project.slug]), "label": "Connect an agent"}]
    else:
        waiting = {0: "No trace waits", 1: "One trace waits"}.get(flow.waiting, f"{flow.waiting:,} traces wait")
        text = f"The last trace came in {since(ago(flow.last_at))}. {waiting} to be mined."
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
