"""Bringing facts in: the list of imports with its form, and one import on its way."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed, require
from apps.console.forms.errors import show_errors
from apps.console.forms.imports import CheckForm, UploadForm
from apps.console.fresh import ask_again, is_fresh
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.names import actor_names
from apps.console.shaping.imports import STATES, counts_in_words, progress_of, stats_of
from apps.console.shaping.links import with_query
from apps.console.shaping.settings import sections
from apps.core.errors import Invalid
from apps.core.keyset import keyset_page
from apps.exchange.actions.cancel_import import cancel_import
from apps.exchange.actions.check_import import check_import
from apps.exchange.actions.start_import import start_import
from apps.exchange.actions.upload_import import upload_import
from apps.exchange.models import Import
from apps.exchange.queries import first_values, imports_of, refused_lines, the_import
from apps.exchange.readers.shapes import READERS
from apps.exchange.readers.table import Table
from apps.exchange.reasons import explain

PAGE = 30
REFUSED = 100
"""Refused lines on a page."""


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("imports.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/imports`: newest first. A file that is posted is read, and its page says how it goes on."""
    form = UploadForm()
    if request.method == "POST":
        require(request.actor, "imports.upload", project_id=request.project.id)
        form = UploadForm(request.POST, request.FILES)
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                upload = _taken(request, file)
            except Invalid as error:
                show_errors(form, error)
            else:
                here = reverse("import", args=[request.project.slug, upload.id])
                return done(request, here, f"{upload.lines:,} records were read. Nothing is taken in yet.")
    slug, path = request.project.slug, reverse("imports", args=[request.project.slug])
    page = keyset_page(
        imports_of(request.project.id),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{request.project.id} imports",
    )
    names = actor_names((upload.uploaded_by for upload in page.rows), request.actor)
    context = {
        "slug": slug,
        "form": form,
        "rows": [_row(slug, upload, names) for upload in page.rows],
        "shapes": sorted(
            {reader.label for reader in READERS.values() if not reader.shape.endswith(("-pg", "-redis"))}, key=str.lower
        ),
        "may_upload": allowed(request.actor, "imports.upload"),
        "sections": sections(slug, "imports", request.actor),
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
    }
    return render(request, "console/imports/list.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("imports.read")
def one(request: ConsoleRequest, import_id: int) -> HttpResponse:
    """`/p/<slug>/imports/<number>`: how far it is, what it comes to and which lines are refused. ``act`` of a POST is check,
    start or cancel. ``after`` is the line after which refused ones are listed."""
    upload = the_import(request.project.id, import_id)
    form = _form(request, upload)
    if request.method != "POST":
        return _page(request, upload, form)
    act = request.POST.get("act", "")
    who: dict[str, Any] = {"actor": request.actor, "project_id": request.project.id, "import_id": import_id}
    if act == "check":
        form = _form(request, upload, request.POST)
        if not form.is_valid():
            return _page(request, upload, form, status=422)
        said = form.cleaned_data
        try:
            check_import(
                **who,
                columns=form.columns,
                direct=bool(said.get("direct")),
                register_agents=bool(said.get("register_agents")),
            )
        except Invalid as error:
            show_errors(form, error, {"content": "column-content"})
            return _page(request, upload, form, status=422)
        text = "It is being checked. Nothing is taken in yet."
    elif act == "start":
        unseen = upload.direct or upload.register_agents
        if unseen and allowed(request.actor, "imports.direct") and not is_fresh(request):
            return ask_again(request)
        start_import(**who)
        text = "It runs. You may leave; it goes on."
    elif act == "cancel":
        cancel_import(**who)
        text = "The import is ended. What came in before stays."
    else:
        raise Invalid("unknown_choice", "Choose what to do with the import.", pointer="/act")
    return done(request, reverse("import", args=[request.project.slug, import_id]), text)


def _taken(request: ConsoleRequest, file: Any) -> Import:
    """Read, and, where there is nothing to be said about it, checked at once."""
    project_id = request.project.id
    upload = upload_import(
        actor=request.actor, project_id=project_id, name=file.name or "", file=file.file, size=file.size
    )
    if upload.shape != Table.shape:
        check_import(actor=request.actor, project_id=project_id, import_id=upload.id)
    return upload


def _form(request: ConsoleRequest, upload: Import, data: Any = None) -> CheckForm:
    return CheckForm(
        data,
        header=upload.header,
        may_all=allowed(request.actor, "imports.direct"),
        chosen=upload.columns,
        initial={"direct": upload.direct, "register_agents": upload.register_agents},
    )


def _page(request: ConsoleRequest, upload: Import, form: CheckForm, *, status: int = 200) -> HttpResponse:
    slug = request.project.slug
    after = request.GET.get("after", "")
    refused = refused_lines(upload, after=int(after) if after.isdecimal() and len(after) < 10 else 0, most=REFUSED + 1)
    path = reverse("import", args=[slug, upload.id])
    may_run = allowed(request.actor, "imports.run")
    names = actor_names([upload.uploaded_by, upload.started_by], request.actor)
    # The cells of a file are for whoever brought it.
    own = upload.header and upload.uploaded_by == request.actor.name and upload.state in {"uploaded", "checked"}
    waits = may_run and upload.state in {"uploaded", "checked"} and upload.emptied_at is None
    context = {
        "slug": slug,
        "path": path,
        "upload": upload,
        "state": STATES[upload.state],
        "label": READERS[upload.shape].label,
        "by": names.get(upload.uploaded_by, ""),
        "starter": names.get(upload.started_by, ""),
        "progress": progress_of(upload),
        "stats": stats_of(upload),
        "form": form if waits else None,
        "samples": first_values(upload) if own else {},
        "may_start": waits and upload.state == "checked" and upload.forecast.get("new", 0) > 0
        and (not (upload.direct or upload.register_agents) or allowed(request.actor, "imports.direct")),
        "may_cancel": may_run and upload.state not in {"done", "failed", "cancelled"},
        "refused": [{"number": number, "why": explain(reason)} for number, reason in refused[:REFUSED]],
        "more": f"{path}?after={refused[REFUSED - 1][0]}" if len(refused) > REFUSED else "",
        "review_url": f"{reverse('review', args=[slug])}?origin=import" if allowed(request.actor, "proposals.read") else "",
    }  # fmt: skip
    name = "_import" if wants_fragment(request, "import") else "detail"
    return render(request, f"console/imports/{name}.html", context, status=status)


def _row(slug: str, upload: Import, names: dict[str, str]) -> dict[str, Any]:
    return {
        "upload": upload,
        "href": reverse("import", args=[slug, upload.id]),
        "state": STATES[upload.state],
        "label": READERS[upload.shape].label,
        "by": names.get(upload.uploaded_by, ""),
        "counts": counts_in_words(upload),
    }
