"""The queue, and one proposal of it."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.shaping.queue import list_context
from apps.console.shaping.queue_state import QueueState
from apps.console.views.proposals.answers import show, the_proposal


@require_safe
@project_page("proposals.read")
def queue(request: ConsoleRequest) -> HttpResponse:
    """The queue in groups; its state is the query string, ``open`` is the row whose details are fetched beside it."""
    state = QueueState.read(request.GET)
    context = list_context(request, state)
    if wants_fragment(request, "results"):
        return render(request, "console/review/_fragment.html", context)
    return render(request, "console/review/list.html", context | {"open": _open(request)})


@require_safe
@project_page("proposals.read")
def detail(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """One proposal, in the drawer or as a page."""
    return show(request, the_proposal(request, proposal_id), QueueState.read(request.GET))


def _open(request: ConsoleRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("open", ""))
    except ValueError:
        return None
