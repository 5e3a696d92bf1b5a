"""What the frame of an open page asks again from time to time."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.console.context import WAITING, live
from apps.console.frame import frame
from apps.console.hx import ConsoleRequest, project_page
from apps.core.counting import MOST

STOP = 286
"""htmx asks no more after it."""


@require_safe
def pulse(request: HttpRequest, slug: str) -> HttpResponse:
    """`/p/<slug>/pulse`: the counts of the navigation and the state at its foot, as out-of-band swaps. Somebody whose
    login is over is left on his page: the next thing he does there asks for it."""
    if not request.user.is_authenticated:
        return HttpResponse(status=STOP)
    response: HttpResponse = _pulse(request, slug)
    return response if response.status_code == 200 else HttpResponse(status=STOP)


@project_page("project.open")
def _pulse(request: ConsoleRequest) -> HttpResponse:
    found, news = frame(request.project.id, request.actor), []
    said = "said" in request.GET
    for name, words in (("review", "to review"), ("conflicts", "to settle"), ("dreams", "to decide")):
        known = request.GET.get(name, "")
        more = found.counts.get(name, 0) - int(known) if known.isdecimal() and len(known) < 9 else 0
        if more > 0 and not said and found.counts[name] <= MOST:
            news.append(f"{more:,} more {words}")
    counts = [{"name": name, "count": count, "hot": name in WAITING} for name, count in found.counts.items()]
    context = {"counts": counts, "news": ", ".join(news), **live(request.project, found, said=said or bool(news))}
    return render(request, "console/pulse.html", context)
