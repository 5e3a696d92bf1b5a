"""Sessions: the list, and what an agent still had in mind in one when it spoke."""

from typing import Any

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.session_reads import LETTERS, Line, held_of
from apps.console.shaping.links import with_query
from apps.core.errors import Invalid, NotFound
from apps.core.fields import query_int
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.traces.models import Session, SessionMessage
from apps.traces.working_memory import LONG_OUTPUT, PRESERVE, THRESHOLD, InMind, in_mind, output_of

PAGE = 40
SHOWN = 60
ROLES = {
    "user": ("user", "User"),
    "assistant": ("agent", "Assistant"),
    "tool_call": ("external", "Tool call"),
    "tool_result": ("download", "Tool result"),
    "reasoning": ("flask", "Reasoning"),
    "summary": ("history", "Summary"),
}
FATES = {
    "kept": ("ok", "In mind"),
    "summarised": ("violet", "In a summary"),
    "window": ("", "Outside the window"),
    "tokens": ("warn", "Over the tokens"),
}


@require_safe
@project_page("traces.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/sessions`: newest first; ``q`` is the whole id of a session or of its user."""
    slug, path = request.project.slug, reverse("sessions", args=[request.project.slug])
    words = storable(request.GET.get("q", ""))[0].strip()
    said = SessionMessage.objects.filter(project_id=OuterRef("project_id"), session_id=OuterRef("id"))
    rows = Session.objects.filter(project_id=request.project.id).select_related("subject")
    if words:
        rows = rows.filter(external_id=words) | rows.filter(subject__external_id=words)
    page = keyset_page(
        rows.annotate(last_at=Subquery(said.order_by("-id").values("at")[:1])),
        order=("-id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{request.project.id} sessions {words}",
    )
    context = {
        "slug": slug,
        "path": path,
        "q": words,
        "rows": page.rows,
        "chips": [{"label": "id", "value": words, "href": path}] if words else [],
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
    }
    return render(
        request, f"console/sessions/{'_results' if wants_fragment(request, 'results') else 'list'}.html", context
    )


@require_safe
@project_page("traces.read")
def detail(request: ConsoleRequest, session_id: int) -> HttpResponse:
    """`/p/<slug>/sessions/<n>`: the messages, and which of them the agent still had in mind after message ``at`` with a
    ``window`` of messages and at most so many ``tokens``. ``before`` pages back."""
    slug, project_id = request.project.slug, request.project.id
    session = Session.objects.filter(project_id=project_id, id=session_id).select_related("subject").first()
    if session is None:
        raise NotFound("not_found", "There is no such session in this project.")
    asked, problem = _asked(request)
    held = held_of(project_id, session.id, at=asked["at"])
    numbers = [one.id for one in held.messages]
    mind = in_mind(held.messages, window=asked["window"], max_tokens=asked["tokens"])
    end = numbers.index(asked["before"]) if asked["before"] in numbers else len(numbers)
    shown = numbers[max(0, end - SHOWN) : end]
    lines = held.lines(shown) if shown else {}
    path = reverse("session", args=[slug, session.id])
    context = {
        "slug": slug,
        "path": path,
        "session": session,
        "rows": [_row(path, request, lines[number], mind) for number in shown if number in lines],
        "asked": {name: "" if value is None else value for name, value in asked.items()},
        "problem": problem,
        "mind": mind,
        "kept": sum(fate == "kept" for fate in mind.fate.values()),
        "total": len(numbers),
        "more": held.more,
        "limit": asked["tokens"],
        "compacts_at": None if asked["tokens"] is None else int(asked["tokens"] * THRESHOLD),
        "preserve": PRESERVE,
        "earlier": with_query(path, request.GET, before=str(shown[0])) if end > SHOWN else "",
        "latest": with_query(path, request.GET, before=None) if asked["before"] else "",
        "traces_url": with_query(reverse("traces", args=[slug]), QueryDict(), session=session.external_id),
        "list_url": reverse("sessions", args=[slug]),
        "subject_url": reverse("subject", args=[slug, session.subject_id]) if session.subject_id else "",
        "may_dream": allowed(request.actor, "dreams.start"),
    }
    name = "_messages" if wants_fragment(request, "results") else "detail"
    return render(request, f"console/sessions/{name}.html", context, status=422 if problem else 200)


def _asked(request: ConsoleRequest) -> tuple[dict[str, int | None], str]:
    """What the address asks for, and words where a part of it makes no sense; that part is left out then."""
    found: dict[str, int | None] = {}
    problem = ""
    # A field that was left empty asks for nothing.
    params = request.GET.copy()
    for name, most in (("window", 10_000), ("tokens", 10_000_000), ("at", 2**63 - 1), ("before", 2**63 - 1)):
        if params.get(name) == "":
            params.pop(name)
        try:
            found[name] = query_int(params, name, None, 0, most)
        except Invalid as error:
            found[name], problem = None, f"{name.capitalize()}: {error.detail}"
    return found, problem


def _row(path: str, request: ConsoleRequest, line: Line, mind: InMind) -> dict[str, Any]:
    css, fate = FATES[mind.fate.get(line.number, "kept")]
    icon, role = ROLES[line.role]
    return {
        "message": line,
        "icon": icon,
        "role": role,
        "text": line.head[:LETTERS],
        "cut": line.letters > LETTERS,
        "fate": fate,
        "css": css,
        "summary": mind.summarised_by.get(line.number),
        "would_be": "cut"
        if line.number in mind.cut and output_of(line.head) > LONG_OUTPUT
        else "summed"
        if line.number in mind.summed
        else "",
        "then": with_query(path, request.GET, at=str(line.number), before=None),
    }
