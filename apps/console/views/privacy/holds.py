"""Legal holds: what is kept though it should go, on what ground, until when somebody looks again."""

from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.forms.errors import show_errors
from apps.console.hx import ConsoleRequest, done, note_refusal, project_page
from apps.console.shaping.audit import names_of, who
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotAllowed, NotFound
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.models import Hold
from apps.tenancy.models import Subject
from apps.tenancy.queries import find_subject

MOST = 200


class NewHold(forms.Form):
    object_type = forms.ChoiceField(
        label="What is held", choices=[("fact", "A fact"), ("trace", "A trace"), ("subject", "All about a user")]
    )
    object_id = forms.CharField(
        label="Which", max_length=255, help_text="The fact's number, the trace's id, or the user's id."
    )
    ground = forms.CharField(label="Ground", max_length=300, help_text="Shown on receipts, so name nobody.")
    review_on = forms.DateField(
        label="Review on",
        widget=forms.DateInput(attrs={"type": "date"}),
        initial=lambda: now() + timedelta(days=90),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.read")
def holds(request: ConsoleRequest) -> HttpResponse:
    """What is held now and was; POST places a hold."""
    if request.method != "POST":
        return _page(request, NewHold())
    form = NewHold(request.POST)
    if not form.is_valid():
        return _page(request, form, 422)
    told = form.cleaned_data
    try:
        place_hold(
            actor=request.actor,
            project_id=request.project.id,
            object_type=told["object_type"],
            object_id=_id(request, told["object_type"], told["object_id"]),
            ground=told["ground"],
            review_on=told["review_on"],
        )
    except (Invalid, Conflict, NotFound, NotAllowed) as error:
        if error.code == "not_allowed":
            raise
        note_refusal(error)
        show_errors(form, error)
        return _page(request, form, error.status)
    return done(request, reverse("privacy-holds", args=[request.project.slug]), "Held: it is told to nobody.")


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.hold")
def hold(request: ConsoleRequest, hold_id: int) -> HttpResponse:
    """POST: release it. Anything else leads to the list."""
    url = reverse("privacy-holds", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    try:
        again = release_hold(actor=request.actor, project_id=request.project.id, hold_id=hold_id)
    except Conflict as error:
        return done(request, url, error.detail, level="warn")
    more = f" {len(again)} erasures that waited for it are open again." if again else ""
    return done(request, url, f"Released.{more}")


def _id(request: ConsoleRequest, kind: str, text: str) -> str:
    """The row's number, of what people call it."""
    name = text.strip()
    if kind == "subject":
        found: Subject | None = find_subject(project_id=request.project.id, external_id=name)
        if found is None:
            raise NotFound("not_found", "There is no such user in this project.")
        return str(found.id)
    return name.lstrip("#").lower()


def _page(request: ConsoleRequest, form: NewHold, status: int = 200) -> HttpResponse:
    project_id, slug = request.project.id, request.project.slug
    rows = list(Hold.objects.filter(project_id=project_id).order_by("released_at", "-id")[:MOST])
    rows.sort(key=lambda row: (row.released_at is not None, row.review_on))
    people = {row.placed_by for row in rows} | {row.released_by for row in rows if row.released_by}
    names = names_of(project_id, people)
    subjects = {row.object_id for row in rows if row.object_type == "subject"}
    called = dict(Subject.objects.filter(project_id=project_id, id__in=subjects).values_list("id", "external_id"))
    context = {
        "slug": slug,
        "form": form,
        "may_hold": allowed(request.actor, "privacy.hold"),
        "today": now().date(),
        "rows": [_row(row, slug, names, called, request) for row in rows],
    }
    return render(request, "console/privacy/holds.html", context, status=status)


def _row(
    row: Hold, slug: str, names: dict[str, str], called: dict[int, str], request: ConsoleRequest
) -> dict[str, Any]:
    if row.object_type == "fact":
        label, href = f"#{row.object_id}", reverse("fact", args=[slug, row.object_id])
    elif row.object_type == "trace":
        label, href = row.object_id[:12], reverse("trace", args=[slug, row.object_id])
    else:
        label = called.get(int(row.object_id), "(erased)")
        href = reverse("subject", args=[slug, row.object_id]) if int(row.object_id) in called else ""
    return {
        "hold": row,
        "label": label,
        "href": href,
        "placed_by": who(row.placed_by, names, request.actor),
        "released_by": who(row.released_by, names, request.actor) if row.released_by else "",
        "overdue": row.released_at is None and row.review_on <= now().date(),
    }
