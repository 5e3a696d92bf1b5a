"""The list of dream runs."""

from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.names import actor_names
from apps.console.shaping import dream_words as words
from apps.console.shaping.links import scope_url, with_query
from apps.console.shaping.quotes import shortened
from apps.core.counting import MOST
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.dreaming.diff import counts_of, how_many, runs_listed, undecided
from apps.dreaming.models import ORIGINS, DreamRun
from apps.facts.models import SCOPES

PAGE, LOOKED_AT = 30, 2_000
"""Runs of a page, and how many one that is narrowed looks at."""
SEGMENTS = {
    "": ("All", []),
    "proposed": ("To decide", ["proposed"]),
    "open": ("Running", ["queued", "running"]),
    "done": ("Decided", ["settled", "undone"]),
    "failed": ("Failed", ["failed", "cancelled"]),
}
"""Which states the parts of the list hold."""


@require_safe
@project_page("dreams.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/dreams`: newest first. ``state`` is a part of the list, ``scope`` and ``id`` whose facts, ``origin`` what
    started it."""
    slug, query, path = request.project.slug, request.GET, reverse("dreams", args=[request.project.slug])
    state, scope, origin = (
        _one_of(query.get(name, ""), known)
        for name, known in (("state", SEGMENTS), ("scope", SCOPES), ("origin", ORIGINS))
    )
    place = storable(query.get("id", ""))[0].strip()
    asked = {"scope": scope, "origin": origin, "scope_id": place}
    seen = visible_sensitivities(request.actor)
    runs = DreamRun.objects.filter(project_id=request.project.id)
    place_alone = bool(scope and place) and not (state or origin)
    page = keyset_page(
        _in(runs_listed(request.project.id, seen), state, asked),
        order=("-id",),
        cursor=query.get("cursor") or None,
        limit=PAGE,
        context=f"{request.project.id} dreams {state} {asked}",
        among=runs if (state or any(asked.values())) and not place_alone else None,
        most=LOOKED_AT,
    )
    names = actor_names((run.requested_by for run in page.rows), request.actor)
    context = {
        "slug": slug,
        "path": path,
        "rows": [_row(request, run, names) for run in page.rows],
        "segment": _segment(request, path, state, asked),
        "asked": asked,
        "state": state,
        "scopes": SCOPES,
        "origins": words.ORIGIN_LABELS,
        "filtered": any(asked.values()) or bool(state),
        "chips": _chips(request, path, asked),
        "may_start": allowed(request.actor, "dreams.start"),
        "may_choose": allowed(request.actor, "dreams.settings"),
        "short": page.short,
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
    }
    name = "_fragment" if wants_fragment(request, "results") else "list"
    return render(request, f"console/dreams/{name}.html", context)


def _one_of(text: str, known: Any) -> str:
    return text if text in known else ""


def _in(runs: "QuerySet[DreamRun]", state: str, asked: dict[str, str]) -> "QuerySet[DreamRun]":
    if SEGMENTS[state][1]:
        runs = runs.filter(state__in=SEGMENTS[state][1])
    return runs.filter(**{name: value for name, value in asked.items() if value})


def _segment(request: ConsoleRequest, path: str, state: str, asked: dict[str, str]) -> list[dict[str, Any]]:
    """The parts with how many of the newest runs each has, counted at once: of more runs than are counted, "12+"."""
    looked = DreamRun.objects.filter(project_id=request.project.id).order_by("-id")[: MOST + 1]
    wanted = Q(**{name: value for name, value in asked.items() if value})
    counted = {
        name or "all": Count("id", filter=wanted & Q(state__in=states) if states else wanted or None)
        for name, (_, states) in SEGMENTS.items()
    }
    found = looked.aggregate(of=Count("id"), **counted)
    more = found["of"] > MOST
    return [
        {
            "href": with_query(path, request.GET, state=name or None),
            "label": label,
            "count": f"{min(found[name or 'all'], MOST):,}{'+' * more}",
            "current": name == state,
        }
        for name, (label, _) in SEGMENTS.items()
    ]


def _chips(request: ConsoleRequest, path: str, asked: dict[str, str]) -> list[dict[str, str]]:
    said = {
        "scope": ("scope", asked["scope"]),
        "origin": ("started", words.ORIGIN_LABELS.get(asked["origin"], "")),
        "id": ("whose", shortened(asked["scope_id"], 24)),
    }
    return [
        {"label": label, "value": value, "href": with_query(path, request.GET, **{name: None})}
        for name, (label, value) in said.items()
        if value
    ]


def _row(request: ConsoleRequest, run: DreamRun, names: dict[str, str]) -> dict[str, Any]:
    counts = counts_of(run)
    return {
        "run": run,
        "href": reverse("dream", args=[request.project.slug, run.id]),
        "state": words.STATES[run.state],
        "place_href": scope_url(request.project.slug, run.scope, run.scope_id, run.subject_id),
        "total": how_many(counts),
        "undecided": undecided(counts),
        "applied": how_many(counts, "applied"),
        "origin": words.ORIGIN_LABELS[run.origin],
        "by": names.get(run.requested_by, "") if run.origin == "button" else "",
        "error": words.error_words(run.error_code) if run.error_code else "",
        "tokens": run.prompt_tokens + run.completion_tokens,
    }
