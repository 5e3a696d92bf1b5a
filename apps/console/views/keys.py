"""Filled in at once."""

from django.http import HttpResponse

from apps.console.hx import ConsoleRequest, project_page


@project_page("keys.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("listing")

@project_page("keys.issue")
def new(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("new")

@project_page("keys.revoke")
def revoke(request: ConsoleRequest, key_id: object) -> HttpResponse:
    return HttpResponse("revoke")
