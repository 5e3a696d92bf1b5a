"""Opening a request in somebody's name."""

from datetime import UTC, datetime, time

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.forms.errors import show_errors
from apps.console.forms.privacy import NewRequest
from apps.console.hx import ConsoleRequest, done, project_page
from apps.core.clock import now
from apps.core.errors import Invalid, Malformed
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.states import DESTROYS


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.open")
def new(request: ConsoleRequest) -> HttpResponse:
    """The form, prefilled from a subject's page. With a checked identity an erasure is previewed at once."""
    slug = request.project.slug
    if request.method != "POST":
        given = {name: request.GET.get(name, "") for name in ("external_id", "kind", "fact_id")}
        return _form(request, NewRequest(initial={name: value for name, value in given.items() if value}))
    form = NewRequest(request.POST)
    if not form.is_valid():
        return _form(request, form, 422)
    told = form.cleaned_data
    day = told["received_on"]
    try:
        opened = open_request(
            actor=request.actor,
            project_id=request.project.id,
            kind=told["kind"],
            external_id=told["external_id"],
            identities=form.named(),
            wish=told["wish"],
            fact_id=told["fact_id"],
            correction=told["correction"],
            identity_method=told["identity_method"],
            received_at=min(datetime.combine(day, time(12), UTC), now()) if day else None,
        )
    except (Invalid, Malformed) as error:
        show_errors(form, error, {"user_id": "external_id"})
        return _form(request, form, 422)
    url = reverse("privacy-request", args=[slug, opened.id])
    if opened.state == "duplicate":
        return done(request, url, "Opened, as a duplicate of one that is open already.", level="warn")
    if opened.state == "triage" and opened.kind in DESTROYS and allowed(request.actor, "privacy.handle"):
        preview_request(actor=request.actor, project_id=request.project.id, request_id=opened.id)
        return done(request, url, "Opened and previewed. Nothing was changed yet.")
    return done(request, url, "Opened.")


def _form(request: ConsoleRequest, form: NewRequest, status: int = 200) -> HttpResponse:
    context = {"slug": request.project.slug, "form": form}
    return render(request, "console/privacy/new.html", context, status=status)
