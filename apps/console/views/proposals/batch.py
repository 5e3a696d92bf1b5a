"""One verdict on the ticked rows."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_http_methods

from apps.console.hx import ConsoleRequest, done, project_page, toast, undo_url, visible_sensitivities
from apps.console.shaping.flags import REASON_LABELS
from apps.console.shaping.later import moment_of
from apps.console.shaping.queue import list_context
from apps.console.shaping.queue_state import QueueState
from apps.console.views.proposals.answers import changed, following, in_drawer, list_state, list_url
from apps.console.views.proposals.later import assignee_of
from apps.core.errors import Invalid
from apps.curation.actions.decide_batch import BatchResult, Verdict, decide_batch
from apps.curation.models import Proposal


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.approve")
def batch(request: ConsoleRequest) -> HttpResponse:
    """POST ``ids`` and one of ``act=approve``, ``reason``, ``snooze`` or ``act=day`` with ``day``, and ``act=assign``
    with ``assignee``; what could not be decided stays ticked, with the reason on its row. Anything else leads to the
    queue."""
    state = list_state(request)
    if request.method != "POST":
        return HttpResponseRedirect(list_url(request, ""))
    ids = _ids(request)
    try:
        if not ids:
            raise Invalid("nothing_chosen", "Tick the proposals first.", pointer="/ids")
        verdict = _verdict(request)
        result = decide_batch(actor=request.actor, project_id=request.project.id, proposal_ids=ids, verdict=verdict)
    except Invalid as error:
        return _refused(request, state, error)
    text = _said(verdict, result)
    level = "warn" if result.left else "ok"
    if in_drawer(request):
        return toast(_fresh(request, state, result), text, level, undo=result.change)
    if not result.left:
        return done(request, list_url(request, state.carried()), text, undo=result.change)
    # The rows that were left are shown with their reasons, which a redirect would lose.
    problems = {one.proposal_id: one.reason for one in result.left}
    undo = undo_url(result.change) if result.change else ""
    context = list_context(request, state, problems=problems) | {"problem": text, "level": level, "undo": undo}
    return render(request, "console/review/list.html", context)


def _ids(request: ConsoleRequest) -> list[UUID]:
    """What is ticked and may be seen; anything else is left out."""
    ids = []
    for text in request.POST.getlist("ids")[:1000]:
        try:
            ids.append(UUID(text))
        except ValueError:
            continue
    ours = Proposal.objects.in_project(request.project.id).filter(id__in=ids)
    return list(ours.filter(sensitivity__in=visible_sensitivities(request.actor)).values_list("id", flat=True))


def _verdict(request: ConsoleRequest) -> Verdict:
    """Raises Invalid where the form says nothing that can be done."""
    post = request.POST
    if "reason" in post:
        return Verdict(verb="reject", reason=post["reason"])
    if "snooze" in post or post.get("act") == "day":
        until = moment_of(post.get("snooze", ""), post.get("day", ""))
        if until is None and post.get("snooze") != "back":
            raise Invalid("day_required", "Choose a day for them to come back.", pointer="/day")
        return Verdict(verb="snooze", until=until)
    if post.get("act") == "assign":
        return Verdict(verb="assign", assignee=assignee_of(post.get("assignee", "")))
    if post.get("act") == "approve":
        return Verdict(verb="approve")
    raise Invalid("unknown_choice", "Choose what to do with them.", pointer="/act")


def _said(verdict: Verdict, result: BatchResult) -> str:
    """ "41 approved, 2 failed"."""
    overtaken = sum(proposal.state == "conflicted" for proposal in result.done)
    words = {
        "approve": "approved",
        "reject": f"rejected: {REASON_LABELS.get(verdict.reason, '').lower()}",
        "snooze": "put off",
        "assign": "assigned" if verdict.assignee else "given back",
    }[verdict.verb]
    if verdict.verb == "snooze":
        at = verdict.until
        words = f"put off until {date_format(timezone.localtime(at), 'j M')}" if at else "waiting again"
    parts = [(len(result.done) - overtaken, words), (overtaken, "overtaken"), (len(result.left), "failed")]
    return ", ".join(f"{number} {said}" for number, said in parts if number) or "Nothing was changed"


def _fresh(request: ConsoleRequest, state: QueueState, result: BatchResult) -> HttpResponse:
    """Every row of the batch as it is now. Where one was left, the first of these is opened, else what comes next."""
    left = Proposal.objects.in_project(request.project.id).in_bulk([one.proposal_id for one in result.left])
    open_one: Proposal | None = next((left[one.proposal_id] for one in result.left if one.proposal_id in left), None)
    if open_one is None and result.done:
        open_one = following(request, result.done[0], state)
    problems = {one.proposal_id: one.reason for one in result.left}
    return changed(request, [*result.done, *left.values()], open_one, state, problems=problems)


def _refused(request: ConsoleRequest, state: QueueState, error: Invalid) -> HttpResponse:
    if in_drawer(request):
        return toast(HttpResponse(status=204), error.detail, "bad")
    context: dict[str, Any] = list_context(request, state) | {"problem": error.detail, "level": "bad"}
    return render(request, "console/review/list.html", context, status=422)
