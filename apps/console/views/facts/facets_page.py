"""The facets of the list of facts: a fragment of its own, because to count takes longer than to show a page."""

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.models import SENSITIVITIES
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities
from apps.console.views.facts.shape import SCOPE_NAMES, STATUS_NAMES
from apps.console.views.facts.state import ListState, list_state
from apps.core.text import storable
from apps.facts.facets import Count, FacetCounts, facet_counts
from apps.facts.listing import saying_ids
from apps.facts.models import MEMORY_TYPES, SOURCES

FEW_SAYING = 200
"""Words are counted where no more facts say them."""
ALWAYS = ("user", "project", "agent")
"""Scopes that are offered with no fact in them too."""


@dataclass(frozen=True)
class Option:
    """One choice of a menu. ``count`` is empty where nobody counted; ``id`` is its own, so that the focus finds it again."""

    id: str
    value: str
    label: str
    count: str
    checked: bool


@require_safe
@project_page("facts.read")
def facet_menus(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/facets`, with the list's query string: its facets with their counts. ``find`` is a part of the scope
    ids that are listed; for htmx's part ``places`` the answer is that list alone."""
    state = list_state(request.GET).but()
    shown = facets(request, state, counted=True, find=storable(request.GET.get("find", ""))[0].strip()[:255])
    part = "_places" if request.htmx and request.htmx.target == "places" else "_facets"
    return render(request, f"console/facts/{part}.html", {"facets": shown, "asked": state})


def facets(request: ConsoleRequest, state: ListState, *, counted: bool, find: str = "") -> dict[str, Any]:
    """What templates/console/facts/_facets.html shows. Without ``counted`` nothing is asked of the database, and only fixed
    choices and those in force are there."""
    project, slug = request.project, request.project.slug
    wanted = state.wanted(project.id, visible_sensitivities(request.actor))
    known = shown = None
    if counted:
        ids = saying_ids(wanted.query, FEW_SAYING) if wanted.query and not state.by_meaning else None
        known = facet_counts(project.id, replace(wanted, query="", further=None), ids=ids, find=find)
        # What reads told, what is near in meaning, and words that many facts say are not counted.
        shown = None if state.served or state.by_meaning or (wanted.query and ids is None) else known
    return {
        "counted": counted,
        "url": reverse("facts-facets", args=[slug]),
        "whole_href": state.but().url(slug) + ("&" if state.query() else "?") + "facets=1",
        "scopes": _scopes(state, shown, slug),
        "places": [_place(state, *place, slug=slug, shown=bool(shown)) for place in known.places] if known else [],
        "find": find,
        "menus": [
            _menu(state, "source", "Source", _values(SOURCES, known, "source"), shown),
            _menu(state, "sensitivity", "Sensitivity", _visible(wanted.sensitivities), shown),
            _menu(state, "category", "Category", _values([], known, "category"), shown),
        ],
        "type": _menu(state, "type", "Type", MEMORY_TYPES, shown, facet="memory_type"),
        "status": _statuses(state, shown),
        "more": sum(
            bool(x) for x in (state.type, state.status, state.conf_min or state.conf_max, state.served, state.expiring)
        ),
    }


def _visible(sensitivities: tuple[str, ...]) -> list[str]:
    return [name for name in SENSITIVITIES if name in sensitivities]


def _values(fixed: list[str], known: FacetCounts | None, facet: str) -> list[str]:
    return [*fixed, *(value for value in (known.facets[facet] if known else ()) if value not in fixed)]


def _menu(
    state: ListState, name: str, label: str, values: list[str], shown: FacetCounts | None, *, facet: str = ""
) -> dict[str, Any]:
    chosen: tuple[str, ...] = getattr(state, name)
    counts = shown.facets[facet or name] if shown else {}
    options = [
        Option(_id(name, value), value, value, _count(shown, counts.get(value)), value in chosen)
        for value in [*values, *(value for value in chosen if value not in values)]
    ]
    return {"name": name, "label": label, "options": options, "chosen": chosen}


def _statuses(state: ListState, shown: FacetCounts | None) -> list[Option]:
    return [
        Option(
            _id("status", value),
            value,
            label,
            _count(shown, shown.facets["status"].get(value) if shown else None) if value else "",
            state.status == value,
        )
        for value, label in ({"": "Any"} | STATUS_NAMES).items()
    ]


def _scopes(state: ListState, shown: FacetCounts | None, slug: str) -> list[dict[str, Any]]:
    """All, and each scope; the rarer ones only where there are any."""
    counts = shown.facets["scope"] if shown else {}
    every = Count(sum(count.n for count in counts.values()), not shown or not shown.whole)
    items = [("", "All", every)] + [
        (name, label, counts.get(name, Count(0, every.more)))
        for name, label in SCOPE_NAMES.items()
        if name in ALWAYS or state.scope == name or counts.get(name)
    ]
    return [
        {
            "href": state.but(scope=name, scope_id="").url(slug),
            "label": label,
            "count": _count(shown, count),
            "current": state.scope == name,
        }
        for name, label, count in items
    ]


def _place(state: ListState, scope: str, scope_id: str, count: Count, *, slug: str, shown: bool) -> dict[str, Any]:
    current = (state.scope, state.scope_id) == (scope, scope_id)
    choice = state.but(scope_id="") if current else state.but(scope=scope, scope_id=scope_id)
    return {
        "scope": scope,
        "scope_id": scope_id,
        "href": choice.url(slug),
        "count": str(count) if shown else "",
        "current": current,
    }


def _count(shown: FacetCounts | None, count: Count | None) -> str:
    """Nothing where nobody counted, nor where none was found among those that were looked at."""
    if shown is None or (not shown.whole and not (count and count.n)):
        return ""
    return str(count or Count())


def _id(name: str, value: str) -> str:
    return f"f-{name}-{blake2b(value.encode(), digest_size=4).hexdigest()}"
