"""Health: how extraction goes, and sending round what was given up."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.shaping.health import report
from apps.console.shaping.health_days import SPANS
from apps.console.shaping.health_dreams import dream_troubles
from apps.console.shaping.health_tables import dead_for
from apps.dreaming.actions.reset_gate import reset_gate
from apps.extraction.actions.extract_again import extract_again

AT_ONCE = 200


@require_safe
@project_page("health.read")
def overview(request: ConsoleRequest) -> HttpResponse:
    """The figures of one project, each with what it means, and charts of the last ``days``."""
    typed, path = request.GET.get("days", ""), reverse("health", args=[request.project.slug])
    days = int(typed) if typed in {str(span) for span in SPANS} else SPANS[1]
    context = {
        "slug": request.project.slug,
        "report": report(request.project, request.actor, days),
        "spans": [
            {"href": f"{path}?days={span}#over-time", "label": f"{span} days", "count": None, "current": span == days}
            for span in SPANS
        ],
        "dreams": dream_troubles(request.project, request.actor),
        "may_reset": allowed(request.actor, "dreams.reset_gate"),
        "may_extract": allowed(request.actor, "traces.extract"),
        "may_read_traces": allowed(request.actor, "traces.read"),
    }
    return render(request, "console/health/overview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("traces.extract")
def retry(request: ConsoleRequest) -> HttpResponse:
    """POST: queue the traces that were given up for one reason, the oldest 200. Anything else leads to the figures."""
    url = reverse("health", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    dead = list(
        dead_for(request.project.id, request.POST.get("reason", "")).values_list("trace_id", flat=True)[:AT_ONCE]
    )
    for trace_id in dead:
        extract_again(actor=request.actor, project_id=request.project.id, trace_id=trace_id)
    if not dead:
        return done(request, url, "No trace is given up for that reason any more. Nothing was changed.")
    traces = "One trace is" if len(dead) == 1 else f"{len(dead):,} traces are"
    return done(request, url, f"{traces} queued and will be tried again in a moment.")


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("dreams.reset_gate")
def gate(request: ConsoleRequest, gate_id: int) -> HttpResponse:
    """POST: dream runs of a place may start again at once. Anything else leads to the figures."""
    url = reverse("health", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    reset_gate(actor=request.actor, project_id=request.project.id, gate_id=gate_id)
    return done(request, url, "The gate is open: dream runs may start there again.")
