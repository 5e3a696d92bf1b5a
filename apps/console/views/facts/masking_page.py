"""Showing personal text for a while, and hiding it again."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.masking import MINUTES, mask, unmask
from apps.facts.actions.unmask_facts import unmask_facts


@require_POST
@project_page("facts.unmask")
def masking(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/masking`: ``show`` decides; back to the page it was asked from, as it stood. What is shown is shown on
    every page of the project."""
    if request.POST.get("show"):
        unmask_facts(actor=request.actor, project_id=request.project.id, minutes=MINUTES)
        unmask(request)
        said = f"Personal text is shown for {MINUTES} minutes. That was recorded."
    else:
        mask(request)
        said = "Personal text is masked again."
    return done(request, _back(request), said)


def _back(request: ConsoleRequest) -> str:
    """Htmx says where it is, which changes with what is opened; a plain form carries where it stood."""
    here = request.htmx.current_url_abs_path if request.htmx else request.POST.get("next", "")
    if here and url_has_allowed_host_and_scheme(here, allowed_hosts=None):
        return here
    return reverse("facts", args=[request.project.slug])
