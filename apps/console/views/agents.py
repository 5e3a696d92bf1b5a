"""Filled in at once."""

from django.http import HttpResponse

from apps.console.hx import ConsoleRequest, project_page


@project_page("agents.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("listing")

@project_page("agents.read")
def detail(request: ConsoleRequest, agent_id: object) -> HttpResponse:
    return HttpResponse("detail")
