"""The audit log: who did what, when and why, and whether the chain is whole."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.db.models import Exists
from django.http import HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.access.actions.ask_for_check import ask_for_check
from apps.access.actions.export_audit import export_audit
from apps.access.actions.note_audit_read import note_audit_read
from apps.access.policies import allowed
from apps.access.queries import audit_reads
from apps.audit.models import AuditEvent
from apps.audit.queries import events, exported, last_check
from apps.console.forms.audit import AuditFilter
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.shaping.audit import KINDS, Line, chain_of, details_of, line_of, names_of, who
from apps.console.shaping.audit_words import PARTS, label
from apps.console.shaping.links import with_query
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.core.keyset import keyset_page

PAGE = 50
FILTERS = ("q", "actor", "verb", "since", "until", "result")


@require_safe
@project_page("audit.read_own")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Events, newest first. ``open`` shows one of them in the drawer. Whoever may read only what he did himself is held to
    that; that somebody reads what others did is an event too."""
    project, path = request.project, reverse("audit", args=[request.project.slug])
    whole = allowed(request.actor, "audit.read")
    reads = audit_reads(request.actor, project.id)
    form = AuditFilter(request.GET)
    wanted = form.wanted("" if whole else request.actor.name)
    found = events(project.id, wanted)
    if wants_fragment(request, "drawer"):
        _note(request, noted=not whole or reads.exists())
        opened = _event(found, request.GET.get("open", ""))
        names = names_of(project.id, _refs([opened])) if opened else {}
        return render(request, "console/audit/drawer.html", _drawer(request, path, opened, names))
    page = keyset_page(
        found.annotate(noted=Exists(reads)) if whole else found,
        order=("-seq",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} audit {wanted}",
    )
    # With the page where it has rows: a statement less.
    _note(request, noted=not whole or (cast(Any, page.rows[0]).noted if page.rows else reads.exists()))
    check = last_check(project.id) if whole else None
    opened = _event(found, request.GET.get("open", ""), page.rows)
    refs = _refs([*page.rows, opened] if opened else page.rows)
    names = names_of(project.id, refs | ({check.asked_by} if check else set()))
    rows = [line_of(event, project.slug, names, request.actor) for event in page.rows]
    filtered = any(request.GET.get(name) for name in FILTERS)
    context = {
        "slug": project.slug,
        "path": path,
        "rows": [{"line": row, "href": with_query(path, request.GET, open=str(row.event.seq))} for row in rows],
        "form": form,
        "whole": whole,
        "actors": _actors(names, request) if whole else [],
        "chosen": request.GET.get("actor", ""),
        "chips": _chips(request, path, names),
        "segment": _segment(request, path),
        "chain": chain_of(check, names, request.actor),
        "may_export": whole and allowed(request.actor, "audit.export"),
        "asked": request.GET.urlencode(),
        "may_verify": whole and allowed(request.actor, "audit.verify"),
        "filtered": filtered,
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(rows)} on this page" if rows else "",
        "opened": request.GET.get("open", ""),
    }
    if request.GET.get("open"):
        context |= _drawer(request, path, opened, names)
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/audit/{template}.html", context)


def _note(request: ConsoleRequest, *, noted: bool) -> None:
    if not noted and request.method == "GET":
        note_audit_read(actor=request.actor, project_id=request.project.id)


def _event(found: Any, seq: str, page: Sequence[AuditEvent] = ()) -> AuditEvent | None:
    """The one of that number; one beyond the page is looked up, by whoever may see it."""
    if not (seq.isdecimal() and len(seq) < 19):
        return None
    on_page = next((event for event in page if event.seq == int(seq)), None)
    return on_page or found.filter(seq=int(seq)).first()


def _refs(events: Iterable[AuditEvent]) -> set[str]:
    """Everybody they name: who acted, and upon whom."""
    found = set()
    for event in events:
        found.add(f"{event.actor_kind}:{event.actor_id}")
        if event.object_type == "user":
            found.add(f"user:{event.object_id}")
    return found


def _drawer(request: ConsoleRequest, path: str, event: AuditEvent | None, names: dict[str, str]) -> dict[str, Any]:
    """Raises NotFound without an event."""
    if event is None:
        raise NotFound("not_found", "There is no such event, or it does not match the filter.")
    line = line_of(event, request.project.slug, names, request.actor)
    return {
        "slug": request.project.slug,
        "open_line": line,
        "details": details_of(line),
        "same_object": _same_object(line, path),
        "list_url": with_query(path, request.GET),
    }


def _same_object(line: Line, path: str) -> str:
    kind, number = line.event.object_type, line.event.object_id
    return f"{path}?q={number}" if kind in {"fact", "proposal", "trace", "agent"} else ""


def _actors(names: dict[str, str], request: ConsoleRequest) -> list[dict[str, Any]]:
    """Groups for the list of who acted: kinds, members, keys, the parts of the product."""
    parts = {f"system:{part}": called for part, called in PARTS.items()}
    groups = [
        ("Kind", list(KINDS.items())),
        ("People", _sorted(names, "user:")),
        ("Keys", _sorted(names, "key:")),
        ("The product", list(parts.items())),
    ]
    return [{"label": title, "options": options} for title, options in groups if options]


def _sorted(names: dict[str, str], prefix: str) -> list[tuple[str, str]]:
    return sorted(((ref, name) for ref, name in names.items() if ref.startswith(prefix)), key=lambda pair: pair[1])


def _segment(request: ConsoleRequest, path: str) -> list[dict[str, Any]]:
    denied = request.GET.get("result") == "denied"
    return [
        {
            "href": with_query(path, request.GET, result=None),
            "label": "Everything",
            "count": None,
            "current": not denied,
        },
        {"href": with_query(path, request.GET, result="denied"), "label": "Refused", "count": None, "current": denied},
    ]


def _chips(request: ConsoleRequest, path: str, names: dict[str, str]) -> list[dict[str, str]]:
    shown = {"q": "id", "actor": "by", "verb": "act", "since": "since", "until": "until"}
    chips = []
    for name, called in shown.items():
        value = request.GET.get(name, "")
        if not value:
            continue
        if name == "actor":
            value = KINDS.get(value) or who(value, names, request.actor)
        elif name == "verb":
            value = label(value)
        chips.append({"label": called, "value": value, "href": with_query(path, request.GET, **{name: None})})
    return chips


@require_POST
@project_page("audit.export")
def export(request: ConsoleRequest) -> HttpResponse:
    """The events of the filter as JSON lines; ``list`` is the list's query string."""
    project = request.project
    wanted = AuditFilter(QueryDict(request.POST.get("list", ""))).wanted()
    up_to = export_audit(actor=request.actor, project_id=project.id, wanted=wanted)
    name = f"{project.slug}-audit-{now():%Y%m%d-%H%M}.jsonl"
    # The rows are read when the view is over.
    return StreamingHttpResponse(
        exported(project.id, wanted, up_to),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )  # type: ignore[return-value]


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("audit.verify")
def verify(request: ConsoleRequest) -> HttpResponse:
    """POST: walk the chain, and leave the rest of a long one to the workers. Anything else leads to the log."""
    url = reverse("audit", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    check = ask_for_check(actor=request.actor, project_id=request.project.id)
    if check.finished_at is None:
        return done(request, url, f"{check.seq:,} of {check.total:,} events fit so far; workers walk the rest.")
    if check.broken_at is not None:
        return done(request, url, f"The chain is broken at event {check.broken_at:,}.", level="warn")
    return done(request, url, f"The chain is intact: {check.seq:,} events.")


@require_safe
@project_page("audit.verify")
def chain(request: ConsoleRequest) -> HttpResponse:
    """The line that says how a walk goes on, for the page that waits for it."""
    check = last_check(request.project.id)
    names = names_of(request.project.id, {check.asked_by} if check else set())
    context = {"slug": request.project.slug, "chain": chain_of(check, names, request.actor)}
    return render(request, "console/audit/_chain.html", context)
