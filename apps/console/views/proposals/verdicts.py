"""Saying yes or no to one proposal."""

import re
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.console.forms.errors import show_errors
from apps.console.forms.review import SUPERSEDE, EditProposal
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities
from apps.console.masking import hides
from apps.console.proposal_reads import ShownProposal, shown_proposal
from apps.console.shaping.flags import REASON_LABELS
from apps.console.shaping.queue_state import QueueState
from apps.console.shaping.rows import Row, rows_of
from apps.console.views.proposals.answers import decided, edit_page, list_state, moved, show, the_proposal
from apps.core.errors import Conflict, Invalid, NotFound
from apps.curation.actions.approve_proposal import Edits
from apps.curation.actions.decide_proposal import decide_proposal
from apps.curation.models import Proposal

CHOICES = {"/same_as", "/supersede"}
"""What a verb's refusal points at where a choice was wrong or is missing."""


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.approve")
def approve(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """GET: the form to edit it first. POST: approve as it stands or, with the form's fields, as edited."""
    proposal = the_proposal(request, proposal_id)
    if request.method != "POST":
        state = QueueState.read(request.GET)
        if proposal.decided_at or proposal.op == "retire":
            return show(request, proposal, state)
        beside = _shown(request, proposal)
        masked = hides(proposal.sensitivity)
        return edit_page(request, proposal, beside, EditProposal(proposal, beside), state, masked=masked)
    state = list_state(request)
    form, edits = None, Edits()
    shown: ShownProposal | None = None
    if "content" in request.POST:
        shown = _shown(request, proposal)
        form = EditProposal(proposal, shown, request.POST)
        if not form.is_valid():
            return edit_page(request, proposal, shown, form, state, status=422)
        edits = form.edits()
    try:
        result, change = decide_proposal(
            actor=request.actor,
            project_id=request.project.id,
            proposal_id=proposal.id,
            edits=edits,
            same_as=_same_as(request),
            supersede=form.supersede_word() if form else SUPERSEDE.get(request.POST.get("supersede", "")),
        )
    except Invalid as error:
        if form is None and {fault.pointer for fault in error.errors or ()} & CHOICES:
            return show(request, proposal, state, problem=error.detail, level="bad", status=422)
        shown = shown or _shown(request, proposal)
        masked = form is None and hides(proposal.sensitivity)
        form = form or EditProposal(proposal, shown, _as_data(EditProposal(proposal, shown)))
        form.full_clean()
        show_errors(form, error, {"scope_id": form.id_field()})
        return edit_page(request, proposal, shown, form, state, status=422, masked=masked)
    except Conflict as error:
        return moved(request, proposal.id, error, state)
    if result.state == "conflicted":
        text = f"{result.number} was overtaken: the fact it would replace had changed. No fact was changed."
        return decided(request, result, state, text, level="warn")
    text = _approved(result, rows_of([result], request.actor)[0])
    return decided(request, result, state, text, undo=change)


def _approved(proposal: Proposal, row: Row) -> str:
    if proposal.op == "retire":
        return f"Retired #{proposal.fact_id}: agents are no longer told it"
    if proposal.op == "add" and proposal.fact_id in {fact.id for fact in row.named}:
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
    proposal = the_proposal(request, proposal_id)
    if request.method != "POST":
        return HttpResponseRedirect(reverse("proposal", args=[request.project.slug, proposal.id]))
    state = list_state(request)
    try:
        result, change = decide_proposal(
            actor=request.actor,
            project_id=request.project.id,
            proposal_id=proposal.id,
            reject=request.POST.get("reason", ""),
        )
    except Invalid as error:
        return show(request, proposal, state, problem=error.detail, status=422)
    except Conflict as error:
        return moved(request, proposal.id, error, state)
    text = f"Rejected {result.number}: {REASON_LABELS[result.reason].lower()}"
    if result.op == "retire":
        text = f"Kept the fact: {result.number} was rejected"
    return decided(request, result, state, text, undo=change)


def _shown(request: ConsoleRequest, proposal: Proposal) -> ShownProposal:
    return shown_proposal(proposal, visible_sensitivities(request.actor))


def _as_data(form: EditProposal) -> dict[str, Any]:
    """The unedited proposal as the form's own data, so that a refused approval shows where it fails."""
    return {name: form[name].value() for name in form.fields}
