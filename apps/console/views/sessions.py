"""Sessions: the list, and what an agent still had in mind in one when it spoke."""

from typing import Any

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Length
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.shaping.links import with_query
from apps.core.errors import Invalid, NotFound
from apps.core.fields import query_int
from apps.core.keyset import keyset_page
from apps.core.text import storable
from apps.traces.models import Session, SessionMessage
from apps.traces.working_memory import LONG_OUTPUT, PRESERVE, THRESHOLD, InMind, Remembered, in_mind, output_of

PAGE = 40
SHOWN = 60
LOOKED_AT = 2_000
"""Messages of a session up to the moment that is looked at; the newest so many."""
LETTERS = 1_200
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
    messages = SessionMessage.objects.filter(project_id=project_id, session_id=session.id)
    held = _held(messages.filter(id__lte=asked["at"]) if asked["at"] else messages)
    mind = in_mind(held, window=asked["window"], max_tokens=asked["tokens"])
    shown = [one.id for one in held if not asked["before"] or one.id < asked["before"]][-SHOWN:]
    texts = {row.id: row for row in messages.filter(id__in=shown)} if shown else {}
    path = reverse("session", args=[slug, session.id])
    first = next((place for place, one in enumerate(held) if shown and one.id == shown[0]), 0)
    context = {
        "slug": slug,
        "path": path,
        "session": session,
        "rows": [_row(path, request, texts[number], held, mind) for number in shown if number in texts],
        "asked": {name: "" if value is None else value for name, value in asked.items()},
        "problem": problem,
        "mind": mind,
        "kept": sum(fate == "kept" for fate in mind.fate.values()),
        "total": len(held),
        "more": len(held) == LOOKED_AT,
        "limit": asked["tokens"],
        "compacts_at": None if asked["tokens"] is None else int(asked["tokens"] * THRESHOLD),
        "preserve": PRESERVE,
        "earlier": with_query(path, request.GET, before=str(shown[0])) if shown and first else "",
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


def _held(messages: Any) -> list[Remembered]:
    """The newest messages, oldest first, by what matters. How long a tool's output is at most is seen without reading it."""
    rows = messages.order_by("-id").annotate(letters=Length("content"))[:LOOKED_AT]
    found = [
        Remembered(number, role, letters, tuple(stands_for), letters if role == "tool_result" else 0)
        for number, role, letters, stands_for in rows.values_list("id", "role", "letters", "stands_for")
    ]
    return found[::-1]


def _row(
    path: str, request: ConsoleRequest, row: SessionMessage, held: list[Remembered], mind: InMind
) -> dict[str, Any]:
    css, fate = FATES[mind.fate.get(row.id, "kept")]
    icon, role = ROLES[row.role]
    return {
        "message": row,
        "icon": icon,
        "role": role,
        "text": row.content[:LETTERS],
        "cut": len(row.content) > LETTERS,
        "letters": len(row.content),
        "fate": fate,
        "css": css,
        "summary": mind.summarised_by.get(row.id),
        "stands_for": len(row.stands_for),
        "would_be": "cut"
        if row.id in mind.cut and output_of(row.content) > LONG_OUTPUT
        else "summed"
        if row.id in mind.summed
        else "",
        "then": with_query(path, request.GET, at=str(row.id), before=None),
    }
