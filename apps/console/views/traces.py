"""Filled in at once."""

from django.http import HttpResponse

from apps.console.hx import ConsoleRequest, project_page


@project_page("traces.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("listing")

@project_page("traces.read")
def detail(request: ConsoleRequest, trace_id: object) -> HttpResponse:
    return HttpResponse("detail")

@project_page("traces.extract")
def extract(request: ConsoleRequest, trace_id: object) -> HttpResponse:
    return HttpResponse("extract")
