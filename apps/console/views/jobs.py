"""How far running work has come."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page
from apps.console.jobs import reading
from apps.console.views.pulse import STOP


@require_safe
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    """`/p/<slug>/jobs?of=`: the line of a running job, asked again by itself until it is done."""
    if not request.user.is_authenticated:
        return HttpResponse(status=STOP)
    response: HttpResponse = _jobs(request, slug)
    return response if response.status_code == 200 else HttpResponse(status=STOP)


@project_page("project.open")
def _jobs(request: ConsoleRequest) -> HttpResponse:
    of = request.GET.get("of", "")
    may = allowed(request.actor, "traces.read")
    job = reading(request.project, int(of) if of.isdecimal() and len(of) < 9 else 0) if may else None
    return render(request, "console/_partials/_job.html", {"job": job, "answer": True})
