"""Putting a proposal off, and giving it to somebody."""

from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_http_methods

from apps.console.hx import ConsoleRequest, done, project_page, toast
from apps.console.shaping.later import moment_of
from apps.console.views.proposals.answers import (
    changed,
    decided,
    in_drawer,
    list_state,
    list_url,
    moved,
    show,
    the_proposal,
)
from apps.core.errors import Conflict, Invalid
from apps.curation.actions.assign_proposal import assign_proposal
from apps.curation.actions.snooze_proposal import snooze_proposal


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.snooze")
def snooze(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """POST ``snooze`` (tomorrow, week, back) or ``day``. Anything else leads to the proposal, where the choices are."""
    proposal = the_proposal(request, proposal_id)
    if request.method != "POST":
        return HttpResponseRedirect(reverse("proposal", args=[request.project.slug, proposal.id]))
    state, back = list_state(request), request.POST.get("snooze") == "back"
    until = None if back else moment_of(request.POST.get("snooze", ""), request.POST.get("day", ""))
    if until is None and not back:
        return show(request, proposal, state, problem="Choose a day for it to come back.", status=422)
    try:
        result = snooze_proposal(
            actor=request.actor, project_id=request.project.id, proposal_id=proposal.id, until=until
        )
    except Invalid as error:
        return show(request, proposal, state, problem=error.detail, status=422)
    except Conflict as error:
        return moved(request, proposal.id, error, state)
    if until is None:
        return decided(request, result, state, f"{result.number} waits again")
    day = date_format(timezone.localtime(until), "j M")
    return decided(request, result, state, f"{result.number} comes back on {day}")


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.assign")
def assign(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """POST ``assignee``, a user's id or 0 for nobody. Anything else leads to the proposal."""
    proposal = the_proposal(request, proposal_id)
    if request.method != "POST":
        return HttpResponseRedirect(reverse("proposal", args=[request.project.slug, proposal.id]))
    state, given = list_state(request), request.POST.get("assignee", "")
    try:
        result = assign_proposal(
            actor=request.actor,
            project_id=request.project.id,
            proposal_id=proposal.id,
            assignee=assignee_of(given),
        )
    except Invalid as error:
        return show(request, proposal, state, problem=error.detail, status=422)
    except Conflict as error:
        return moved(request, proposal.id, error, state)
    text = (
        f"{result.number} is {'yours' if given == request.actor.id else 'assigned' if result.assignee else 'nobody’s'}"
    )
    if not in_drawer(request):
        return done(request, list_url(request, state.carried(open=str(result.id))), text)
    return toast(changed(request, [result], result, state), text)


def assignee_of(text: str) -> int | None:
    """The user that a form names; 0 is nobody. What is no number names a user that is not there."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        return -1
    return int(text) or None
