"""Review: what machines suggest, and what people say to it."""

import re
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.forms.errors import show_errors
from apps.console.forms.review import SUPERSEDE, EditProposal
from apps.console.hx import ConsoleRequest, done, project_page, toast, visible_sensitivities, wants_fragment
from apps.console.shaping.flags import REASON_LABELS
from apps.console.shaping.queue import ORDER, QueueState, counts, list_context, since
from apps.console.shaping.review import Row, detail_of, grouped, rows_of
from apps.console.templatetags.console import ago
from apps.core.errors import Conflict, Invalid, NotFound
from apps.curation import queries as curation
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal

CHOICES = {"/same_as", "/supersede"}
"""What a verb's refusal points at where a choice was wrong or is missing."""


@require_safe
@project_page("proposals.read")
def queue(request: ConsoleRequest) -> HttpResponse:
    """The queue, newest first by trace; its state is the query string, ``open`` is the row in the drawer."""
    state = QueueState.read(request.GET)
    context = list_context(request, state)
    if wants_fragment(request, "results"):
        return render(request, "console/review/_fragment.html", context)
    opened = _open_proposal(request)
    if opened:
        context["open"] = opened.id
        context |= _detail_context(request, opened, state, in_drawer=True)
    return render(request, "console/review/list.html", context)


@require_safe
@project_page("proposals.read")
def detail(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """One proposal, in the drawer or as a page."""
    proposal = _proposal(request, proposal_id)
    return _detail(request, proposal, QueueState.read(request.GET))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.approve")
def approve(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """GET: the form to edit it first. POST: approve as it stands or, with the form's fields, as edited."""
    proposal = _proposal(request, proposal_id)
    if request.method != "POST":
        state = QueueState.read(request.GET)
        if proposal.decided_at or proposal.op == "retire":
            return _detail(request, proposal, state)
        return _edit_page(request, proposal, EditProposal(proposal, request.project), state)
    state = _list_state(request)
    form, edits = None, Edits()
    if "content" in request.POST:
        form = EditProposal(proposal, request.project, request.POST)
        if not form.is_valid():
            return _edit_page(request, proposal, form, state, status=422)
        edits = form.edits()
    try:
        result = approve_proposal(
            actor=request.actor,
            project_id=request.project.id,
            proposal_id=proposal.id,
            edits=edits,
            same_as=_same_as(request),
            supersede=form.supersede_word() if form else SUPERSEDE.get(request.POST.get("supersede", "")),
        )
    except Invalid as error:
        if form is None and {fault.pointer for fault in error.errors or ()} & CHOICES:
            return _detail(request, proposal, state, problem=error.detail, level="bad", status=422)
        form = form or EditProposal(proposal, request.project, _as_data(proposal, request))
        form.full_clean()
        show_errors(form, error, {"scope_id": form.id_field()})
        return _edit_page(request, proposal, form, state, status=422)
    except Conflict as error:
        return _moved(request, proposal.id, error, state)
    if result.state == "conflicted":
        text = f"{result.number} was overtaken: the fact it would replace had changed. No fact was changed."
        return _decided(request, result, state, text, level="warn")
    return _decided(request, result, state, _approved(result, rows_of([result], request.actor)[0]))


def _approved(proposal: Proposal, row: Row) -> str:
    if proposal.op == "retire":
        return f"Retired #{proposal.fact_id}: agents are no longer told it"
    if proposal.op == "add" and proposal.fact_id in {fact.id for fact in row.targets}:
        return f"Merged {proposal.number} into #{proposal.fact_id}"
    return f"Approved {proposal.number}: fact #{proposal.fact_id}"


def _same_as(request: ConsoleRequest) -> int | None:
    """The fact that says this already, as a button names it. Raises NotFound for what is no fact's number."""
    number = request.POST.get("same_as", "")
    if not number:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", number):
        raise NotFound("not_found", "There is no such fact in this project.")
    return int(number)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.reject")
def reject(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """POST with a reason. Anything else leads to the proposal, where the reasons are."""
    proposal = _proposal(request, proposal_id)
    if request.method != "POST":
        return HttpResponseRedirect(reverse("proposal", args=[request.project.slug, proposal.id]))
    state = _list_state(request)
    try:
        result = reject_proposal(
            actor=request.actor,
            project_id=request.project.id,
            proposal_id=proposal.id,
            reason=request.POST.get("reason", ""),
        )
    except Invalid as error:
        return _detail(request, proposal, state, problem=error.detail, status=422)
    except Conflict as error:
        return _moved(request, proposal.id, error, state)
    text = f"Rejected {result.number}: {REASON_LABELS[result.reason].lower()}"
    if result.op == "retire":
        text = f"Kept the fact: {result.number} was rejected"
    return _decided(request, result, state, text)


def _proposal(request: ConsoleRequest, proposal_id: UUID) -> Proposal:
    proposal = (
        Proposal.objects.in_project(request.project.id)
        .filter(id=proposal_id, sensitivity__in=visible_sensitivities(request.actor))
        .first()
    )
    if proposal is None:
        raise NotFound("not_found", "There is no such proposal in this project.")
    return proposal


def _open_proposal(request: ConsoleRequest) -> Proposal | None:
    try:
        return _proposal(request, UUID(request.GET.get("open", "")))
    except (ValueError, NotFound):
        # A stale link to a row that is gone opens the list without it.
        return None


def _list_state(request: HttpRequest) -> QueueState:
    """The list a form was opened from: its query string travels in the field ``list``."""
    return QueueState.read(QueryDict(request.POST.get("list", "")))


def _as_data(proposal: Proposal, request: ConsoleRequest) -> dict[str, Any]:
    """The unedited proposal as the form's own data, so that a refused approval shows where it fails."""
    form = EditProposal(proposal, request.project)
    return {name: form[name].value() for name in form.fields}


def _detail_context(
    request: ConsoleRequest, proposal: Proposal, state: QueueState, *, in_drawer: bool
) -> dict[str, Any]:
    carried = state.carried()
    path = reverse("review", args=[request.project.slug])
    return {
        "slug": request.project.slug,
        "detail": detail_of(proposal, request.actor),
        "in_drawer": in_drawer,
        "carried": carried,
        "list_url": f"{path}?{carried}" if carried else path,
        "may_decide": allowed(request.actor, "proposals.approve"),
        "reasons": REASON_LABELS,
    }


def _in_drawer(request: ConsoleRequest) -> bool:
    return bool(request.htmx) and not request.htmx.boosted and not request.htmx.history_restore_request


def _detail(
    request: ConsoleRequest,
    proposal: Proposal,
    state: QueueState,
    *,
    problem: str = "",
    level: str = "warn",
    status: int = 200,
) -> HttpResponse:
    in_drawer = _in_drawer(request)
    context = _detail_context(request, proposal, state, in_drawer=in_drawer) | {"problem": problem, "level": level}
    name = "_drawer" if in_drawer else "detail"
    return _to_drawer(render(request, f"console/review/{name}.html", context, status=status))


def _edit_page(
    request: ConsoleRequest, proposal: Proposal, form: EditProposal, state: QueueState, *, status: int = 200
) -> HttpResponse:
    in_drawer = _in_drawer(request)
    context = _detail_context(request, proposal, state, in_drawer=in_drawer) | {"form": form}
    name = "_edit" if in_drawer else "edit"
    return _to_drawer(render(request, f"console/review/{name}.html", context, status=status))


def _to_drawer(response: HttpResponse) -> HttpResponse:
    """Forms aim at their row; an answer that is no row goes to the drawer instead."""
    response["HX-Retarget"], response["HX-Reswap"] = "#drawer", "innerHTML"
    return response


def _next(request: ConsoleRequest, decided: Proposal, state: QueueState) -> Proposal | None:
    """The row after the decided one in its list, else the last before it."""
    waiting = state.narrowed(curation.queue(request.project.id, state.wanted(visible_sensitivities(request.actor))))
    if state.state:
        return None
    older = Q(created_at__lt=decided.created_at) | Q(created_at=decided.created_at, id__lt=decided.id)
    return waiting.filter(older).order_by(*ORDER).first() or waiting.exclude(older).order_by("created_at", "id").first()


def _decided(
    request: ConsoleRequest, proposal: Proposal, state: QueueState, text: str, *, level: str = "ok"
) -> HttpResponse:
    """The decided row in its place with the next one opened; without scripts the list, and a message."""
    following = _next(request, proposal, state)
    carried = state.carried(open=str(following.id) if following else "")
    path = reverse("review", args=[request.project.slug])
    url = f"{path}?{carried}" if carried else path
    if not _in_drawer(request):
        return done(request, url, text)
    rows = rows_of([proposal, following] if following else [proposal], request.actor)
    context = counts(request, state) | {"row": rows[0], "next_row": rows[1] if following else None}
    context |= {"carried": state.carried(), "group": grouped(rows[:1], request.project.id)[0]}
    if following:
        context |= _detail_context(request, following, state, in_drawer=True)
    response = render(request, "console/review/_decided.html", context)
    response["HX-Replace-Url"] = url
    return toast(response, text, level)


def _moved(request: ConsoleRequest, proposal_id: UUID, error: Conflict, state: QueueState) -> HttpResponse:
    """Somebody was faster, or it can't be approved at all: say so beside the fresh state; nothing was changed."""
    proposal = _proposal(request, proposal_id)
    if not proposal.decided_at:
        return _detail(request, proposal, state, problem=error.detail, level="bad", status=409)
    (row,) = rows_of([proposal], request.actor)
    text = f"{row.verdict} {row.by}, {since(ago(proposal.decided_at))}. Your decision changed nothing."
    if not _in_drawer(request):
        return _detail(request, proposal, state, problem=text, status=409)
    context = counts(request, state) | {"row": row, "next_row": None, "problem": text, "level": "warn"}
    context |= _detail_context(request, proposal, state, in_drawer=True)
    context["group"] = grouped([row], request.project.id)[0]
    return toast(render(request, "console/review/_decided.html", context, status=409), text, "warn")
