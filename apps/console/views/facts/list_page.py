"""The list of facts: search, facets, pages, and the open fact beside it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.shaping.links import scope_url
from apps.console.views.facts.detail import details
from apps.console.views.facts.empty import empty_state
from apps.console.views.facts.left import take_left
from apps.console.views.facts.shape import SCOPE_NAMES, Tag, tags
from apps.console.views.facts.state import ListState, list_state
from apps.core.keyset import keyset_page
from apps.facts.models import Fact
from apps.facts.queries import Counts, FacetCounts, facet_counts, filtered
from apps.recall.queries import Served, served_counts

PAGE = 50
MAX_CATEGORIES = 15
FACETS = {"source": "Source", "category": "Category", "sensitivity": "Sensitivity"}


@dataclass(frozen=True)
class Row:
    """One fact of the list with its links. ``served`` is None for one that no read told; ``successor`` is empty for a
    successor that was erased; ``left`` says why the last change of several left it as it was."""

    fact: Fact
    served: Served | None
    tags: list[Tag]
    href: str
    push: str
    is_open: bool
    scope_href: str
    trace_href: str
    successor: str
    successor_href: str
    left: str = ""


@require_safe
@project_page("facts.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts`: the page, or for htmx the part ``results`` alone."""
    state = list_state(request.GET)
    context = results(request, state)
    if wants_fragment(request, "results"):
        return render(request, "console/facts/results.html", context)
    if allowed(request.actor, "facts.add"):
        scope = ListState(scope=state.scope, scope_id=state.scope_id)
        context["add_href"] = reverse("fact-new", args=[request.project.slug]) + scope.query()
    if state.open:
        context["details"] = details(request, int(state.open), state)
        context["open"] = state.open
        context["close_href"] = state.but(cursor=state.cursor).url(request.project.slug)
    return render(request, "console/facts/list.html", context)


def results(request: ConsoleRequest, state: ListState) -> dict[str, Any]:
    """What the list shows. Facts above the reader's sensitivity are neither in it nor counted."""
    project, visible = request.project, visible_sensitivities(request.actor)
    wanted = state.wanted(project.id, visible)
    counts = facet_counts(project.id, wanted)
    shown = counts.matching.current + (counts.matching.closed if state.superseded else 0)
    facts = filtered(project.id, wanted).annotate(successor_sensitivity=F("superseded_by__sensitivity"))
    # A cursor is good for one filter and one reader's rights.
    context = f"{project.id} facts {state.but(cursor='').query()} {','.join(visible)}"
    page = keyset_page(facts, order=("-id",), cursor=state.cursor or None, limit=PAGE, context=context)
    served = served_counts(project.id, [fact.id for fact in page.rows])
    before = filtered(project.id, wanted).filter(id__gt=page.rows[0].id).count() if page.newer else 0
    left = take_left(request)
    may_change = allowed(request.actor, "facts.handle")
    return {
        "bulk_href": reverse("facts-bulk", args=[project.slug]) if may_change else "",
        "left": left,
        "asked": state,
        "view_href": _agent_view(request, state),
        "rows": [_row(request, state, fact, served.get(fact.id), visible, left.get(fact.id, "")) for fact in page.rows],
        "total": shown,
        "counts": counts.matching,
        "scopes": _scopes(request, state, counts),
        "facets": [facet for name in FACETS if (facet := _facet(request, state, counts, name))],
        "chips": _chips(request, state),
        "range": f"{before + 1:,}–{before + len(page.rows):,} of {shown:,}" if page.rows else "",
        "newer": state.but(cursor=page.newer).url(project.slug) if page.newer else "",
        "older": state.but(cursor=page.older).url(project.slug) if page.older else "",
        "empty": None if page.rows else empty_state(request, state, counts.matching, visible),
    }


def _agent_view(request: ConsoleRequest, state: ListState) -> str:
    """Agent view of whom the list is narrowed to, asked for what is searched."""
    chosen = {state.scope: state.scope_id} if state.scope in {"user", "agent"} and state.scope_id else {}
    query = urlencode(chosen | ({"q": state.q} if state.q else {}))
    return reverse("agent-view", args=[request.project.slug]) + (f"?{query}" if query else "")


def _row(
    request: ConsoleRequest,
    state: ListState,
    fact: Fact,
    served: Served | None,
    visible: tuple[str, ...],
    left: str,
) -> Row:
    slug = request.project.slug
    stay = state.but(cursor=state.cursor)

    def page_of(fact_id: int) -> str:
        return reverse("fact", args=[slug, fact_id]) + stay.query()

    may_follow = getattr(fact, "successor_sensitivity", None) in visible
    return Row(
        fact=fact,
        served=served,
        tags=tags(fact),
        href=page_of(fact.id),
        push=state.but(cursor=state.cursor, open=str(fact.id)).url(slug),
        is_open=state.open == str(fact.id),
        scope_href=scope_url(slug, fact.scope, fact.scope_id, fact.subject_id),
        trace_href=reverse("trace", args=[slug, fact.source_trace_id])
        if fact.source_trace_id and allowed(request.actor, "traces.read")
        else "",
        successor=f"#{fact.superseded_by_id}" if fact.superseded_by_id else "",
        successor_href=page_of(fact.superseded_by_id) if fact.superseded_by_id and may_follow else "",
        left=left,
    )


def _number(state: ListState, counts: Counts) -> int:
    return counts.current + (counts.closed if state.superseded else 0)


def _scopes(request: ConsoleRequest, state: ListState, counts: FacetCounts) -> list[dict[str, Any]]:
    """The scope facet: All, and each scope; the rarer ones only where there are any."""
    found = {name: _number(state, counts.facets["scope"].get(name, Counts())) for name in SCOPE_NAMES}
    slug = request.project.slug
    items = [
        {
            "href": state.but(scope="", scope_id="").url(slug),
            "label": "All",
            "count": sum(found.values()),
            "current": not state.scope,
        }
    ]
    for name, label in SCOPE_NAMES.items():
        if found[name] or name in {"user", "project", "agent"} or state.scope == name:
            items.append(
                {
                    "href": state.but(scope=name, scope_id="").url(slug),
                    "label": label,
                    "count": found[name],
                    "current": state.scope == name,
                }
            )
    return items


def _facet(request: ConsoleRequest, state: ListState, counts: FacetCounts, name: str) -> dict[str, Any] | None:
    """A menu of links with counts: one chooses, the chosen one takes the choice back. None where there is no choice."""
    slug, chosen = request.project.slug, getattr(state, name)
    found = {value: _number(state, number) for value, number in counts.facets[name].items()}
    found = {value: number for value, number in found.items() if number or value == chosen}
    if len(found) < 2 and not chosen:
        return None
    common = sorted(found, key=lambda value: (value != chosen, -found[value], value))[:MAX_CATEGORIES]
    return {
        "label": FACETS[name],
        "chosen": chosen,
        "left_out": len(found) - len(common),
        "options": [
            {
                "href": state.but(**{name: "" if value == chosen else value}).url(slug),
                "label": value,
                "count": found[value],
                "current": value == chosen,
            }
            for value in common
        ],
    }


def _chips(request: ConsoleRequest, state: ListState) -> list[dict[str, str]]:
    slug = request.project.slug
    chips = []
    if state.scope_id:
        href = state.but(scope_id="").url(slug)
        chips.append({"label": state.scope or "id", "value": state.scope_id, "href": href})
    for name, label in FACETS.items():
        if value := getattr(state, name):
            chips.append({"label": label.lower(), "value": value, "href": state.but(**{name: ""}).url(slug)})
    if state.served:
        chips.append({"label": "", "value": "never served", "href": state.but(served="").url(slug)})
    return chips
