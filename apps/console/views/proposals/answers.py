"""What the verbs of Review answer with: the drawer, the page, or the rows that changed."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from apps.access.policies import allowed
from apps.console.forms.review import EditProposal
from apps.console.hx import ConsoleRequest, done, toast, visible_sensitivities
from apps.console.proposal_reads import ShownProposal, shown_proposal
from apps.console.shaping.flags import REASON_LABELS
from apps.console.shaping.later import moments
from apps.console.shaping.queue import around_page, counts, deciders, since
from apps.console.shaping.queue_state import QueueState
from apps.console.shaping.review import detail_of
from apps.console.shaping.rows import grouped, rows_of
from apps.console.templatetags.console import ago
from apps.core.errors import Conflict, NotFound
from apps.curation import queries as curation
from apps.curation.models import Change, Proposal


def the_proposal(request: ConsoleRequest, proposal_id: UUID) -> Proposal:
    """Raises NotFound, for one that the reader may not see as well."""
    proposal = (
        Proposal.objects.in_project(request.project.id)
        .filter(id=proposal_id, sensitivity__in=visible_sensitivities(request.actor))
        .first()
    )
    if proposal is None:
        raise NotFound("not_found", "There is no such proposal in this project.")
    return proposal


def list_state(request: HttpRequest) -> QueueState:
    """The list a form was opened from: its query string travels in the field ``list``."""
    return QueueState.read(QueryDict(request.POST.get("list", "")))


def list_url(request: ConsoleRequest, carried: str) -> str:
    path = reverse("review", args=[request.project.slug])
    return f"{path}?{carried}" if carried else path


def in_drawer(request: ConsoleRequest) -> bool:
    return bool(request.htmx) and not request.htmx.boosted and not request.htmx.history_restore_request


def detail_context(
    request: ConsoleRequest,
    proposal: Proposal,
    state: QueueState,
    *,
    drawer: bool,
    shown: ShownProposal | None = None,
) -> dict[str, Any]:
    found = around_page(request, state, [proposal])
    shown = shown or shown_proposal(proposal, visible_sensitivities(request.actor))
    detail = detail_of(proposal, request.actor, found, shown)
    carried = state.carried()
    return {
        "slug": request.project.slug,
        "detail": detail,
        "in_drawer": drawer,
        "carried": carried,
        "list_url": list_url(request, carried),
        "may_decide": allowed(request.actor, "proposals.approve"),
        "reasons": REASON_LABELS,
        "deciders": deciders(request, found),
        "moments": moments(),
    }


def show(
    request: ConsoleRequest,
    proposal: Proposal,
    state: QueueState,
    *,
    problem: str = "",
    level: str = "warn",
    status: int = 200,
) -> HttpResponse:
    """The proposal, with a line about what just happened."""
    drawer = in_drawer(request)
    context = detail_context(request, proposal, state, drawer=drawer) | {"problem": problem, "level": level}
    name = "_drawer" if drawer else "detail"
    return to_drawer(render(request, f"console/review/{name}.html", context, status=status))


def edit_page(
    request: ConsoleRequest,
    proposal: Proposal,
    shown: ShownProposal,
    form: EditProposal,
    state: QueueState,
    *,
    status: int = 200,
    masked: bool = False,
) -> HttpResponse:
    """The form to edit it by; ``masked``: a word about it in its place."""
    drawer = in_drawer(request)
    context = detail_context(request, proposal, state, drawer=drawer, shown=shown) | {"form": form, "masked": masked}
    name = "_edit" if drawer else "edit"
    return to_drawer(render(request, f"console/review/{name}.html", context, status=status))


def to_drawer(response: HttpResponse) -> HttpResponse:
    """Forms aim at their row; an answer that is no row goes to the drawer instead."""
    response["HX-Retarget"], response["HX-Reswap"] = "#drawer", "innerHTML"
    return response


def following(request: ConsoleRequest, decided: Proposal, state: QueueState) -> Proposal | None:
    """The row after the decided one in its list, else the last before it; none in a list of decided ones."""
    if state.decided:
        return None
    waiting = curation.queue(request.project.id, state.wanted(request.actor, visible_sensitivities(request.actor)))
    names = [name.removeprefix("-") for name in state.order]
    descending = state.order[0].startswith("-")
    after = _beyond(decided, names, "lt" if descending else "gt")
    waiting = waiting.exclude(id=decided.id)
    turned = [name if descending else f"-{name}" for name in names]
    return waiting.filter(after).order_by(*state.order).first() or waiting.order_by(*turned).first()


def _beyond(row: Proposal, names: list[str], side: str) -> Q:
    """(a, b) < (x, y), said with OR: one row is looked for, near where it stands."""
    found, same = Q(pk__in=[]), Q()
    for name in names:
        value = getattr(row, name)
        found |= same & Q(**{f"{name}__{side}": value})
        same &= Q(**{name: value})
    return found


def decided(
    request: ConsoleRequest,
    proposal: Proposal,
    state: QueueState,
    text: str,
    *,
    level: str = "ok",
    undo: Change | None = None,
) -> HttpResponse:
    """The decided row in its place with the next one opened; without scripts the list, and a message."""
    next_one = following(request, proposal, state)
    url = list_url(request, state.carried(open=str(next_one.id) if next_one else ""))
    if not in_drawer(request):
        return done(request, url, text, undo=undo, level=level)
    response = changed(request, [proposal], next_one, state)
    response["HX-Replace-Url"] = url
    return toast(response, text, level, undo=undo)


def changed(
    request: ConsoleRequest,
    proposals: list[Proposal],
    open_one: Proposal | None,
    state: QueueState,
    *,
    problems: dict[UUID, str] | None = None,
    status: int = 200,
    **more: str,
) -> HttpResponse:
    """These rows where they stand, all out of band, ``open_one`` in the drawer, and the counts. ``problems`` are words
    by the id of a row that stays as it was; ``more`` is for the drawer. The page goes on to the row in the drawer, and
    loads the list anew where that row is on another page of it."""
    found = around_page(request, state, proposals)
    rows = rows_of(proposals, request.actor, found, problems)
    context = counts(request, state, found) | {
        "rows": rows,
        "open": open_one.id if open_one else None,
        "carried": state.carried(),
        "state": state,
        "trace_groups": [group for group in grouped(rows, found, "") if group.trace] if state.group == "" else [],
        "may_decide": allowed(request.actor, "proposals.approve"),
    }
    if open_one:
        context |= detail_context(request, open_one, state, drawer=True)
    response = render(request, "console/review/_decided.html", context | more, status=status)
    response["HX-Trigger-After-Settle"] = "decided"
    return response


def moved(request: ConsoleRequest, proposal_id: UUID, error: Conflict, state: QueueState) -> HttpResponse:
    """Somebody was faster, or it can't be approved at all: say so beside the fresh state; nothing was changed."""
    proposal = the_proposal(request, proposal_id)
    if not proposal.decided_at:
        return show(request, proposal, state, problem=error.detail, level="bad", status=409)
    (row,) = rows_of([proposal], request.actor)
    text = f"{row.verdict} {row.by}, {since(ago(proposal.decided_at))}. Your decision changed nothing."
    if not in_drawer(request):
        return show(request, proposal, state, problem=text, status=409)
    return toast(changed(request, [proposal], proposal, state, status=409, problem=text, level="warn"), text, "warn")
