"""Filled in at once."""

from django.http import HttpResponse

from apps.console.hx import ConsoleRequest, project_page


@project_page("proposals.read")
def queue(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("queue")

@project_page("proposals.read")
def detail(request: ConsoleRequest, proposal_id: object) -> HttpResponse:
    return HttpResponse("detail")

@project_page("proposals.approve")
def approve(request: ConsoleRequest, proposal_id: object) -> HttpResponse:
    return HttpResponse("approve")

@project_page("proposals.reject")
def reject(request: ConsoleRequest, proposal_id: object) -> HttpResponse:
    return HttpResponse("reject")
