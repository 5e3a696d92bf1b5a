"""Showing personal text on lists for a while, and hiding it again."""

from urllib.parse import urlsplit

from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.masking import MINUTES, mask, unmask
from apps.facts.actions.unmask_facts import unmask_facts

LISTS = ("facts", "conflicts", "duplicates")


@require_POST
@project_page("facts.unmask")
def masking(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/masking`: ``show`` decides; back to the list ``of`` as it stood, or to the page that ``next`` names.
    What is shown is shown on all of them."""
    if request.POST.get("show"):
        unmask_facts(actor=request.actor, project_id=request.project.id, minutes=MINUTES)
        unmask(request)
        said = f"Personal text is shown for {MINUTES} minutes. That was recorded."
    else:
        mask(request)
        said = "Personal text is masked again."
    return done(request, _back(request), said)


def _back(request: ConsoleRequest) -> str:
    """The list with the filter it had: htmx says where it is, a plain form carries it."""
    following = request.POST.get("next", "")
    if following and url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return following
    of = request.POST.get("of", "")
    url = reverse(of if of in LISTS else "facts", args=[request.project.slug])
    here = urlsplit(request.htmx.current_url_abs_path or "") if request.htmx else None
    query = here.query if here and here.path == url else request.POST.get("query", "").removeprefix("?")
    return f"{url}?{query}" if query else url
