"""Privacy requests by when they are due."""

from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.shaping.links import with_query
from apps.console.shaping.privacy import LABELS, STATE_WORDS, badge
from apps.core.errors import Malformed
from apps.core.keyset import keyset_page
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.privacy.states import FINISHED
from apps.tenancy.tombstones import subject_digest

PAGE = 50
SHOWN = {"": "Open", "done": "Ended"}


@require_safe
@project_page("privacy.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Open ones, the next due first; ``show=done`` those that ended, the newest first. ``q`` is a number, or a user's id,
    which is compared by its digest: a request knows the person only until it has ended."""
    project, path = request.project, reverse("privacy", args=[request.project.slug])
    show, kind, words = (request.GET.get(name, "").strip() for name in ("show", "kind", "q"))
    if show not in SHOWN or (kind and kind not in LABELS):
        raise Malformed("unknown_choice", "There is no such filter.", parameter="show")
    found = PrivacyRequest.objects.filter(project_id=project.id)
    over = sorted(FINISHED)  # as the indexes have them
    found = found.filter(state__in=over) if show else found.exclude(state__in=over)
    if kind:
        found = found.filter(kind=kind)
    if words:
        number = words.lstrip("#")
        about = Q(subject_digest=subject_digest(project.id, "user", words))
        if number.isascii() and number.isdecimal() and len(number) < 10:
            about |= Q(number=int(number))
        found = found.filter(about)
    page = keyset_page(
        found,
        order=("-received_at", "-id") if show else ("due_at", "id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} privacy {show} {kind} {words}",
    )
    names = _names(project.id, page.rows)
    context = {
        "slug": project.slug,
        "path": path,
        "words": words,
        "kind": kind,
        "kinds": list(LABELS.items()),
        "show": show,
        "rows": [
            {
                "request": row,
                "label": LABELS[row.kind],
                "state": STATE_WORDS[row.state],
                "badge": badge(row),
                "who": names.get(row.id, ""),
                "href": reverse("privacy-request", args=[project.slug, row.id]),
            }
            for row in page.rows
        ],
        "segment": [
            {"href": with_query(path, request.GET, show=name or None), "label": label, "current": name == show}
            for name, label in SHOWN.items()
        ],
        "filtered": bool(words or kind),
        "may_open": allowed(request.actor, "privacy.open"),
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/privacy/{template}.html", context)


def _names(project_id: int, rows: Any) -> dict[Any, str]:
    """The user each is about, as long as that is known."""
    named = RequestIdentity.objects.filter(
        project_id=project_id, request_id__in=[row.id for row in rows], kind="user_id"
    )
    return dict(named.order_by("-id").values_list("request_id", "value"))
