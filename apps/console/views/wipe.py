"""Settings: empty the whole project, on the word of two people, and open it again."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, done, note_refusal, project_page, wants_fragment
from apps.console.shaping.audit import names_of, who
from apps.console.shaping.privacy import FAULTS, STATE_WORDS, backup_rows, is_at_work, progress_of, steps_of
from apps.console.shaping.settings import sections
from apps.core.errors import Conflict, Invalid, NotAllowed, NotFound
from apps.privacy.actions.approve_wipe import approve_wipe
from apps.privacy.actions.reopen_project import reopen_project
from apps.privacy.actions.request_wipe import cancel_wipe, request_wipe
from apps.privacy.models import PrivacyRequest
from apps.privacy.states import WIPE
from apps.privacy.wiping import COUNTED, WIPED, wipe_counts

ENDED_BEFORE = frozenset(["cancelled", "rejected"])


@require_safe
@project_page("project.read_wipe")
def page(request: ConsoleRequest) -> HttpResponse:
    """What would go, or how far the wipe is; while it is carried out htmx asks for its ``progress`` alone."""
    found = _last(request)
    if found and wants_fragment(request, "progress"):
        return render(request, "console/privacy/_progress.html", _progress(request, found))
    return render(request, "console/settings/wipe.html", _page(request, found))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("project.wipe")
def ask(request: ConsoleRequest) -> HttpResponse:
    """POST: ask for it, or with ``do=cancel`` take it back. Anything else leads to the page."""
    if request.POST.get("do") == "cancel":
        return _answered(request, _cancel)
    return _answered(request, _ask)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.approve")
def approve(request: ConsoleRequest) -> HttpResponse:
    """POST: the second person's word. Anything else leads to the page."""
    return _answered(request, _approve)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("project.reopen")
def reopen(request: ConsoleRequest) -> HttpResponse:
    """POST: open the empty project again. Anything else leads to the page."""
    return _answered(request, _reopen)


def _answered(request: ConsoleRequest, answer: Callable[[ConsoleRequest], str]) -> HttpResponse:
    url = reverse("settings-wipe", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    try:
        text = answer(request)
    except (Invalid, Conflict, NotAllowed) as error:
        if error.code == "not_allowed":
            raise
        note_refusal(error)
        context = _page(request, _last(request), error.detail)
        return render(request, "console/settings/wipe.html", context, status=error.status)
    return done(request, url, text)


def _ask(request: ConsoleRequest) -> str:
    request_wipe(actor=request.actor, project_id=request.project.id, typed_name=request.POST.get("typed_name", ""))
    return "Asked for. Nothing goes until a privacy officer who is somebody else approves."


def _cancel(request: ConsoleRequest) -> str:
    found = _last(request)
    if found is None:
        raise NotFound("not_found", "No wipe was asked for.")
    cancel_wipe(actor=request.actor, project_id=request.project.id, request_id=found.id)
    return "Taken back. Nothing was changed."


def _approve(request: ConsoleRequest) -> str:
    found = _last(request)
    if found is None:
        raise NotFound("not_found", "No wipe was asked for.")
    approve_wipe(
        actor=request.actor,
        project_id=request.project.id,
        request_id=found.id,
        typed_name=request.POST.get("typed_name", ""),
    )
    return "Approved. The project is being closed and emptied."


def _reopen(request: ConsoleRequest) -> str:
    reopen_project(actor=request.actor, project_id=request.project.id)
    return "Open again, and empty. Keys work from now on."


def _last(request: ConsoleRequest) -> PrivacyRequest | None:
    """The wipe that is open or was carried out last; what was taken back is history."""
    rows = PrivacyRequest.objects.filter(project_id=request.project.id, kind=WIPE)
    return rows.exclude(state__in=ENDED_BEFORE).order_by("-number").first()


def _page(request: ConsoleRequest, found: PrivacyRequest | None, problem: str = "") -> dict[str, Any]:
    project, actor = request.project, request.actor
    closed = project.closed_at is not None
    over = found is not None and found.state == "completed"
    context: dict[str, Any] = {
        "slug": project.slug,
        "name": project.name,
        "sections": sections(project.slug, "settings-wipe", actor),
        "problem": problem,
        "closed": closed,
        "found": found,
        "over": over,
        "may_ask": allowed(actor, "project.wipe"),
        "may_approve": allowed(actor, "privacy.approve"),
        "may_reopen": allowed(actor, "project.reopen"),
        "may_see_receipt": allowed(actor, "privacy.read"),
    }
    if found is None or (over and not closed):
        return context | {"asks": True, "rows": _rows(wipe_counts(project.id, capped=True))}
    names = names_of(project.id, {found.opened_by, found.approved_by} - {""})
    before = found.progress.get("before")
    return (
        context
        | {
            "opened_by": who(found.opened_by, names, actor),
            "approved_by": who(found.approved_by, names, actor) if found.approved_by else "",
            "own": found.opened_by == actor.name,
            "waits": found.state == "awaiting_approval",
            "stuck": found.state == "needs_attention",
            "may_retry": allowed(actor, "privacy.handle"),
            "fault": FAULTS.get(found.error_code, found.error_code),
            "backups": backup_rows(found.preview.get("backups", [])) if not over else [],
            "rows": _rows(before, exact=True) if before else _rows(found.preview["stores"]),
        }
        | _progress(request, found)
    )


def _rows(counts: dict[str, int], *, exact: bool = False) -> list[tuple[str, str]]:
    """What there was to go, by its label; what a page counts stops at one over COUNTED."""
    said = ((one.label, counts.get(one.name, 0)) for one in WIPED)
    return [
        (label, f"{COUNTED:,}+" if count > COUNTED and not exact else f"{count:,}") for label, count in said if count
    ]


def _progress(request: ConsoleRequest, found: PrivacyRequest) -> dict[str, Any]:
    return {
        "slug": request.project.slug,
        "found": found,
        "steps": steps_of(found),
        "at_work": is_at_work(found),
        "progress": progress_of(found),
        "state": STATE_WORDS[found.state],
        "progress_url": reverse("settings-wipe", args=[request.project.slug]),
    }
