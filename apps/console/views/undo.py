"""Taking back what was done a moment ago: the Undo of a message."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from apps.console.hx import ConsoleRequest, project_page
from apps.core.errors import Conflict
from apps.curation.actions.undo_change import UndoResult, undo_change


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("changes.undo")
def undo(request: ConsoleRequest, change_id: UUID) -> HttpResponse:
    """`/p/<slug>/undo/<id>`, back to ``next``, or for htmx the page where it was pressed, made new. A GET comes from a
    login in between and changes nothing."""
    home = reverse("project", args=[request.project.slug])
    if request.method != "POST":
        return redirect(home)
    try:
        result = undo_change(actor=request.actor, change_id=change_id)
    except Conflict as error:
        messages.warning(request, error.detail)
    else:
        said = messages.warning if result.left else messages.success
        said(request, in_words(result))
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Refresh"] = "true"
        return response
    back = request.POST.get("next", "")
    return redirect(back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else home)


def in_words(result: UndoResult) -> str:
    """``Taken back.``, or what was left and why."""
    if not result.left:
        return "Taken back." if result.undone == 1 else f"{result.undone:,} taken back."
    left = " ".join(f"{what} stays as it is: {why}" for what, why in result.left[:5])
    more = f" And {len(result.left) - 5:,} more." if len(result.left) > 5 else ""
    return f"{result.undone:,} taken back, {len(result.left):,} not. {left}{more}"
