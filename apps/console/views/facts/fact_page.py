"""One fact on a page of its own, or as the drawer beside the list."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.views.facts.detail import details
from apps.console.views.facts.state import list_state
from apps.core.errors import NotFound


@require_safe
@project_page("facts.read")
def detail(request: ConsoleRequest, fact_id: int) -> HttpResponse:
    """`/p/<slug>/facts/<id>`, with the list's state in the query string as the way back; for htmx the part
    ``drawer`` alone."""
    state = list_state(request.GET)
    found = details(request, fact_id, state)
    if found is None:
        raise NotFound("not_found", f"There is no fact #{fact_id} here, or none that your role may see.")
    template = "drawer" if wants_fragment(request, "drawer") else "detail"
    close_href = state.but(cursor=state.cursor).url(request.project.slug)
    context = {"details": found, "open": fact_id, "close_href": close_href}
    return render(request, f"console/facts/{template}.html", context)
