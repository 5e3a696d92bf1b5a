"""Conflicts: the list, one of them side by side, and the verdict."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed, require
from apps.console.conflicts import (
    SideRow,
    conflict_count,
    conflict_of_fact,
    conflict_rows,
    conflicts_called,
    one_conflict,
    sides_of,
)
from apps.console.forms.conflicts import SettleConflict
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.names import actor_names
from apps.console.shaping.conflicts import SETTLED, about, compared, told_now, topic
from apps.console.shaping.links import scope_url, with_query
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.curation.actions.settle_conflict import settle_conflict
from apps.curation.models import Conflict
from apps.curation.standing import Side
from apps.tenancy.models import Agent

PAGE = 8
QUOTES = 3
AGENTS = 20


@require_safe
@project_page("proposals.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/conflicts`: open or settled ones, newest first. ``fact`` leads to the open one of that fact."""
    slug, project_id = request.project.slug, request.project.id
    fact_id = request.GET.get("fact", "")
    if fact_id.isascii() and fact_id.isdecimal() and len(fact_id) < 19:
        found = conflict_of_fact(project_id, int(fact_id))
        if found is None:
            raise NotFound("not_found", "No open conflict is about this fact any more.")
        return HttpResponseRedirect(reverse("conflict", args=[slug, found]))
    settled = request.GET.get("state") == "settled"
    words = storable(request.GET.get("q", ""))[0].strip()
    path = reverse("conflicts", args=[slug])
    page = keyset_page(
        conflict_rows(project_id, settled=settled),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project_id} conflicts {settled} {words}",
        any_of=conflicts_called(project_id, settled=settled, words=words) if words else (),
        scattered=bool(words),
    )
    sides = sides_of(project_id, [conflict.id for conflict in page.rows])
    counts = {state: conflict_count(project_id, settled=state, words=words) for state in (False, True)}
    query = request.GET
    context = {
        "path": path,
        "q": words,
        "settled": settled,
        "rows": [_row(request, conflict, sides[conflict.id]) for conflict in page.rows],
        "total": counts[settled],
        "segment": [
            {
                "href": with_query(path, query, state="settled" if state else None),
                "label": "Settled" if state else "Open",
                "count": counts[state],
                "current": state == settled,
            }
            for state in (False, True)
        ],
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
        "chips": [{"label": "about", "value": words, "href": with_query(path, query, q=None)}] if words else [],
    }
    name = "_fragment" if wants_fragment(request, "results") else "list"
    return render(request, f"console/conflicts/{name}.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.read")
def detail(request: ConsoleRequest, conflict_id: int) -> HttpResponse:
    """`/p/<slug>/conflicts/<n>`: the sides and the ways to settle them; POST settles. Where somebody was faster, or a
    side changed, the fresh state comes back with 409, and what was typed stays in the form."""
    if request.method == "POST":
        require(request.actor, "conflicts.settle", project_id=request.project.id)
    conflict = one_conflict(request.project.id, conflict_id)
    if conflict is None:
        raise NotFound("not_found", f"There is no conflict {conflict_id} in this project.")
    rows = sides_of(request.project.id, [conflict.id], quotes=QUOTES)[conflict.id]
    if request.method != "POST":
        return _page(request, conflict, rows)
    if conflict.settled_at is not None:
        return _page(
            request, conflict, rows, problem="Somebody settled this before. Your verdict changed nothing.", status=409
        )
    form = SettleConflict([row.side for row in rows if row.stands], request.POST)
    if not form.is_valid():
        return _page(request, conflict, rows, form=form, status=422)
    try:
        settled = settle_conflict(
            actor=request.actor,
            project_id=request.project.id,
            conflict_id=conflict.id,
            seen=request.POST.get("seen", ""),
            verdict=form.verdict_word(),
            note=form.cleaned_data["note"],
        )
    except Invalid as error:
        form.show(error.errors, error.detail)
        return _page(request, conflict, rows, form=form, status=422)
    except Moved as error:
        conflict = one_conflict(request.project.id, conflict_id)
        if conflict is None:
            raise NotFound("not_found", "The conflict went with what it was about.") from None
        rows = sides_of(request.project.id, [conflict.id], quotes=QUOTES)[conflict.id]
        return _page(request, conflict, rows, given=request.POST, problem=error.detail, status=409)
    text = f"Conflict {conflict.id} settled: {SETTLED[settled.conflict.settlement].lower()}."
    return done(request, reverse("conflict", args=[request.project.slug, conflict.id]), text, undo=settled.change)


def _page(
    request: ConsoleRequest,
    conflict: Conflict,
    rows: list[SideRow],
    *,
    form: SettleConflict | None = None,
    given: QueryDict | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    slug = request.project.slug
    names = actor_names([row.by for row in rows] + [conflict.settled_by, conflict.opened_by], request.actor)
    context: dict[str, Any] = {
        "conflict": conflict,
        "about": about(conflict),
        "topic": topic(conflict),
        "opened_by": names.get(conflict.opened_by, ""),
        "problem": problem,
        "list_url": reverse("conflicts", args=[slug]),
        "before": conflict.before and reverse("conflict", args=[slug, conflict.before]),  # type: ignore[attr-defined]
        "after": conflict.after and reverse("conflict", args=[slug, conflict.after]),  # type: ignore[attr-defined]
        "view_href": _agent_view(request, conflict),
    }
    if conflict.settled_at is None:
        standing = [row for row in rows if row.stands]
        context |= {
            "compared": compared(standing, slug, names),
            "form": form or _fresh([row.side for row in standing], given),
            "may_settle": allowed(request.actor, "conflicts.settle"),
        }
    else:
        agents = Agent.objects.filter(project_id=request.project.id).order_by("name").values_list("name", flat=True)
        context |= {
            "settlement": SETTLED[conflict.settlement],
            "settled_by": names.get(conflict.settled_by, ""),
            "rows": [(row, row.side) for row in rows],
            "told": told_now(rows, list(agents[:AGENTS])),
        }
    return render(request, "console/conflicts/detail.html", context, status=status)


def _fresh(sides: list[Side], given: QueryDict | None) -> SettleConflict:
    """The form for the sides as they are now, with what was typed before they moved, and nothing chosen."""
    form = SettleConflict(sides)
    for name in ("content", "note") if given else ():
        form.initial[name] = given.get(name, "")  # type: ignore[union-attr]
    return form


def _agent_view(request: ConsoleRequest, conflict: Conflict) -> str:
    chosen = {}
    if conflict.subject:
        chosen = {"user": conflict.subject.external_id}
    elif conflict.agent:
        chosen = {"agent": conflict.agent.name}
    path = reverse("agent-view", args=[request.project.slug])
    return f"{path}?{urlencode(chosen)}" if chosen else path


def _row(request: ConsoleRequest, conflict: Conflict, sides: list[SideRow]) -> dict[str, Any]:
    """One line of the list: the sides that stand, or of a settled one what was on its sides."""
    slug = request.project.slug
    shown = [row for row in sides if row.stands or conflict.settled_at]
    scope = "user" if conflict.subject else "agent" if conflict.agent else conflict.scope or "project"
    scope_id = about(conflict) if conflict.subject or conflict.agent or conflict.scope else slug
    told = [row for row in shown if row.stands and row.reads]
    return {
        "conflict": conflict,
        "href": reverse("conflict", args=[slug, conflict.id]),
        "topic": topic(conflict),
        "scope": scope,
        "scope_id": scope_id,
        "scope_href": scope_url(slug, scope, scope_id, conflict.subject_id),
        "sides": shown[:2],
        "more": len(shown) - 2 if len(shown) > 2 else 0,
        "reads": sum(row.reads or 0 for row in told) if told else None,
        "more_reads": any(row.more for row in told),
        "settlement": SETTLED.get(conflict.settlement, ""),
    }
