"""Go anywhere: what Ctrl-K opens, and a page of results without scripts."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from apps.console.finding import find
from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.core.text import storable

LONGEST = 300


@require_safe
@project_page("project.open")
def go(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/go?q=`: what it may mean, for htmx the part ``go-results`` alone; as a page straight to it where only
    one thing is meant, unless ``all`` is asked for."""
    words = storable(request.GET.get("q", ""))[0].strip()[:LONGEST]
    found = find(request.project, request.actor, words)
    context = {"words": words, "found": found}
    if wants_fragment(request, "go-results"):
        return render(request, "console/go/_results.html", context)
    if words and found.goal and "all" not in request.GET:
        return redirect(found.goal)
    return render(request, "console/go/page.html", context)
