"""The list of facts: search, orders, pages, and the open fact beside it."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.shaping.links import scope_url
from apps.console.views.facts.detail import details
from apps.console.views.facts.disputed import conflict_url
from apps.console.views.facts.empty import empty_state, in_words
from apps.console.views.facts.facets_page import facets
from apps.console.views.facts.left import take_left
from apps.console.views.facts.shape import Tag, tags
from apps.console.views.facts.state import NO_VIEW, SORTS, ListState, list_state
from apps.console.views.facts.views_page import Shown, default_of, menu, offered
from apps.core.errors import Malformed
from apps.core.keyset import Page
from apps.core.together import together
from apps.facts.actions.export_facts import MOST
from apps.facts.facets import Count
from apps.facts.listing import Saying, closing, count_of, counting, fact_page
from apps.facts.models import Fact
from apps.facts.queries import FactFilter
from apps.insight.queries import View, view_rows, views_of
from apps.recall.meaning import facts_meaning
from apps.recall.most_told import PAGE as MOST_TOLD
from apps.recall.most_told import most_told
from apps.recall.queries import Served, served_of, served_rows
from apps.recall.question import question_of

PAGE = 50


@dataclass(frozen=True)
class Row:
    """One fact of the list with its links. ``served`` is None for one that no read told; ``successor`` is empty for a
    successor that was erased; ``left`` says why the last change of several left
    it as it was."""

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
    conflict_href: str
    left: str = ""


@dataclass(frozen=True)
class Found:
    """A page of the list and the number of its first row. ``count`` is how many there are, as far as anybody counts, null
    where that is still to be asked with ``wanted``; ``said`` are the facts of the filter's words. ``degraded`` says in a
    code why meaning could not be asked. ``served`` is how often they were told, where that is known already."""

    page: Page[Fact]
    count: Count | None
    first: int
    wanted: FactFilter
    said: Saying
    degraded: str = ""
    served: dict[int, Served] | None = None


@dataclass(frozen=True)
class Beside:
    """What is read beside the page: how often its facts were told, the saved views where the page shows any, how many facts
    there are, how many more closed versions an empty list would have, and which of what replaced its facts the reader may see."""

    served: dict[int, Served]
    successors: set[int]
    views: list[View]
    count: Count
    closed: int


@require_safe
@project_page("facts.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts`: the page, or for htmx the part ``results`` alone."""
    state = list_state(request.GET)
    part = wants_fragment(request, "results")
    if not (request.GET or part) and (first := default_of(offered(request))):
        return redirect(first.url(request.project.slug))
    context = results(request, state, whole=not part)
    if part:
        return render(request, "console/facts/results.html", context)
    state = context["asked"]
    if allowed(request.actor, "facts.add"):
        scope = ListState(scope=state.scope, scope_id=state.scope_id)
        context["add_href"] = reverse("fact-new", args=[request.project.slug]) + scope.query()
    context["facets"] = facets(request, state, counted="facets" in request.GET)
    context["sorts"] = _sorts(state)
    context["most"] = MOST if allowed(request.actor, "facts.export") else 0
    if state.open:
        context["details"] = details(request, int(state.open), state)
        context["open"] = state.open
        context["close_href"] = state.but(cursor=state.cursor).url(request.project.slug)
    return render(request, "console/facts/list.html", context)


def _sorts(state: ListState) -> list[tuple[str, str, bool]]:
    """The orders to choose from, the one that needs no naming first."""
    usual = state.but(sort="").order
    others = [(value, label, value == state.order) for value, label in SORTS.items() if value != usual]
    return [("", SORTS[usual], usual == state.order), *others]


def results(request: ConsoleRequest, state: ListState, *, whole: bool) -> dict[str, Any]:
    """What the list shows, and, of a ``whole`` page, the menu of saved views. Facts above the reader's sensitivity are
    neither in it nor counted."""
    project, visible = request.project, visible_sensitivities(request.actor)
    wanted = state.wanted(project.id, visible)
    found = _found(project.id, state, wanted)
    page, rows = found.page, found.page.rows
    beside = _beside(request, state, found, whole=whole)
    views, served = beside.views, beside.served
    if not state.view and default_of(views):
        # Otherwise a link that takes the last filter away would lead back to what opens by itself.
        state = replace(state, view=NO_VIEW)
    saved = menu(request, state, views)
    last, size = found.first + len(rows) - 1, MOST_TOLD if state.order == "served" else PAGE
    left = take_left(request)
    may_change = allowed(request.actor, "facts.handle")
    return {
        "bulk_href": reverse("facts-bulk", args=[project.slug]) if may_change else "",
        "left": left,
        "asked": state,
        "saved": saved,
        "said": in_words(state),
        "view_href": _agent_view(request, state),
        "rows": [
            _row(request, state, fact, served.get(fact.id), beside.successors, left.get(fact.id, "")) for fact in rows
        ],
        "count": beside.count,
        "chips": [*_view_chip(state, saved["current"], project.slug), *_chips(request, state)],
        "clear_href": state.cleared().url(project.slug),
        "range": f"{found.first:,}–{last:,} of {beside.count}" if rows else "",
        "order": "nearest in meaning first" if state.by_meaning else SORTS[state.order],
        "degraded": found.degraded,
        "words_href": state.but(mode="").url(project.slug),
        "short": page.short,
        "newer": _turn(state, page.newer, max(1, found.first - size), beside.count, project.slug),
        "older": _turn(state, page.older, last + 1, beside.count, project.slug),
        "empty": None if rows or page.short or found.degraded else empty_state(request, state, visible, beside.closed),
    }


def _beside(request: ConsoleRequest, state: ListState, found: Found, *, whole: bool) -> Beside:
    """One statement, or none."""
    project_id, user_id, page = request.project.id, int(request.actor.id), found.page
    most_served = state.order == "served"
    alone = not (state.superseded or state.status or state.served or state.expiring or state.by_meaning or most_served)
    replaced = {fact.superseded_by_id for fact in page.rows} - {None}
    newer = Fact.objects.in_project(project_id).filter(id__in=replaced, sensitivity__in=found.wanted.sensitivities)
    told, views, counted, closed, successors = together(
        served_rows(project_id, [fact.id for fact in page.rows]) if found.served is None else None,
        view_rows(project_id, user_id) if whole or state.view.isdecimal() else None,
        counting(project_id, found.wanted, page) if found.count is None else None,
        closing(project_id, found.wanted, found.said) if alone and not page.rows and not page.short else None,
        newer.values("id") if replaced else None,
    )
    return Beside(
        served=served_of(told) if found.served is None else found.served,
        views=views_of(views, user_id),
        count=count_of(page, counted) if found.count is None else found.count,
        closed=closed[0]["n"] if closed else 0,
        successors={row["id"] for row in successors},
    )


def _found(project_id: int, state: ListState, wanted: FactFilter) -> Found:
    # A cursor is good for one filter and one reader's rights. With it goes what the pager says, so that no page counts again.
    context = f"{project_id} facts {state.but(view='').query()} {','.join(wanted.sensitivities)}"
    first, counted, cursor = _cursor(state.cursor)
    said = Saying(wanted.query)
    if state.by_meaning:
        meant = facts_meaning(project_id, wanted, question_of(project_id, state.q))
        page = Page(tuple(meant.facts), None, None)
        return Found(page, Count(len(meant.facts)), 1, wanted, said, meant.degraded)
    if state.order == "served":
        page, served = most_told(project_id, wanted, cursor=cursor or None, context=context)
        # Of facts that were told, nobody knows how many pass a filter.
        count = counted if cursor else Count(len(page.rows), more=bool(page.older))
        return Found(page, count, first, wanted, said, served=served)
    page = fact_page(
        project_id, wanted, order=state.order, cursor=cursor or None, limit=PAGE, context=context, said=said
    )
    return Found(page, counted if cursor else None, first, wanted, said)


def _turn(state: ListState, cursor: str | None, first: int, count: Count, slug: str) -> str:
    if not cursor:
        return ""
    return state.but(cursor=f"{first}.{count.n}{'-' if count.more else ''}.{cursor}").url(slug)


def _cursor(text: str) -> tuple[int, Count, str]:
    """The number of the first row, the count and the keyset cursor of a page's address."""
    if not text:
        return 1, Count(), ""
    first, _, rest = text.partition(".")
    count, _, cursor = rest.partition(".")
    n = count.removesuffix("-")
    if not (cursor and _is_number(first) and _is_number(n)):
        raise Malformed(
            "invalid_cursor", "The cursor is not one of this list. Start again without it.", parameter="cursor"
        )
    return int(first), Count(int(n), more=count != n), cursor


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 12


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
    successors: set[int],
    left: str,
) -> Row:
    slug = request.project.slug
    stay = state.but(cursor=state.cursor)

    def page_of(fact_id: int) -> str:
        return reverse("fact", args=[slug, fact_id]) + stay.query()

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
        successor_href=page_of(fact.superseded_by_id) if fact.superseded_by_id in successors else "",
        conflict_href=conflict_url(request, fact),
        left=left,
    )


def _view_chip(state: ListState, shown: Shown | None, slug: str) -> list[dict[str, str]]:
    """The saved view that the list began with, with the way out of it."""
    if shown is None:
        return []
    label = "view, changed" if shown.changed else "view"
    return [{"label": label, "value": shown.view.name, "href": state.cleared().url(slug)}]


def _chips(request: ConsoleRequest, state: ListState) -> list[dict[str, str]]:
    """What narrows the list beside the words and the scope, each with the way to be rid of it."""
    slug = request.project.slug
    chips = []
    if state.scope_id:
        chips.append(
            {"label": state.scope or "id", "value": state.scope_id, "href": state.without("scope_id", "").url(slug)}
        )
    for name in ("source", "category", "type", "sensitivity"):
        for value in getattr(state, name):
            chips.append({"label": name, "value": value, "href": state.without(name, value).url(slug)})
    if state.status:
        chips.append({"label": "status", "value": state.status, "href": state.without("status", "").url(slug)})
    if state.conf_min or state.conf_max:
        value = f"{state.conf_min or '0'} to {state.conf_max or '1'}"
        chips.append({"label": "confidence", "value": value, "href": state.but(conf_min="", conf_max="").url(slug)})
    if state.served:
        chips.append({"label": "", "value": state.served_in_words, "href": state.without("served", "").url(slug)})
    if state.expiring:
        value = f"within {state.expiring} days"
        chips.append({"label": "expiring", "value": value, "href": state.without("expiring", "").url(slug)})
    return chips
