"""Subjects: whom facts are about, and everything that is remembered about one of them."""

from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.actions.add_alias import add_alias
from apps.access.actions.remove_alias import remove_alias
from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities, wants_fragment
from apps.console.queries import traces_about
from apps.console.shaping.links import with_query
from apps.console.shaping.rows import STATE_LABELS
from apps.console.shaping.subjects import (
    HIDDEN,
    beginning_of,
    cap_use,
    fact_rows,
    mix_of,
    read_rows,
    stats_of,
    tabs_of,
)
from apps.console.shaping.traces import state_of
from apps.console.subjects import (
    Head,
    Shown,
    also_called,
    capped,
    head_of,
    of_those,
    reads_for,
    subjects_called,
    subjects_shown,
)
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.keyset import Page, keyset_page
from apps.curation.models import Proposal
from apps.facts.models import CLOSED, CURRENT, Fact
from apps.recall.queries import served_counts
from apps.tenancy.models import Subject

PAGE = 25
READS = 20
ORDERS = {"": ("-seen_at", "-id"), "name": ("name_key", "id")}


@dataclass(frozen=True)
class Row:
    """A subject of the list, what the reader may know of him, and the alias he was found by, if by one."""

    subject: Subject
    aliases: list[str]
    more: int
    facts: str
    pending: str
    found_by: str


@require_safe
@project_page("subjects.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Subjects by when they were seen last, or by name; those whose id or alias begins with what is searched."""
    project, path = request.project, reverse("subjects", args=[request.project.slug])
    words = beginning_of(request.GET.get("q", ""))
    # What is searched stands in the order of names, so that page 1,000 of it costs what page 1 does.
    sort = "name" if words or request.GET.get("sort") == "name" else ""
    page = keyset_page(
        subjects_called(project.id, words),
        order=ORDERS[sort],
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} subjects {sort} {words}",
    )
    visible, personal = visible_sensitivities(request.actor), allowed(request.actor, "facts.read_personal")
    found = {}
    if words and personal and not request.GET.get("cursor"):
        found = {alias.subject_id: alias for alias in also_called(project.id, words)}
    here = {subject.id for subject in page.rows}
    subjects = [*(alias.subject for number, alias in found.items() if number not in here), *page.rows]
    shown = subjects_shown(project.id, [subject.id for subject in subjects])
    context = {
        "slug": project.slug,
        "path": path,
        "words": words,
        "sort": sort,
        "rows": [
            _row(
                subject,
                shown[subject.id],
                visible,
                personal,
                found[subject.id].external_id if subject.id in found else "",
            )
            for subject in subjects
        ],
        "personal": personal,
        "may_review": allowed(request.actor, "proposals.read"),
        "by_seen": with_query(path, request.GET, sort=None),
        "by_name": with_query(path, request.GET, sort="name"),
        "newer": page.newer and with_query(path, request.GET, cursor=page.newer),
        "older": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(subjects)} on this page" if subjects else "",
    }
    template = "_results" if wants_fragment(request, "results") else "list"
    return render(request, f"console/subjects/{template}.html", context)


def _row(subject: Subject, shown: Shown, visible: tuple[str, ...], personal: bool, found_by: str) -> Row:
    names = [found_by, *(name for name in shown.aliases if name != found_by)] if found_by else shown.aliases
    return Row(
        subject=subject,
        aliases=names[:2] if personal else [HIDDEN] * bool(names),
        more=max(0, len(names) - 2) if personal else 0,
        facts=capped(of_those(shown.facts, visible)),
        pending=capped(of_those(shown.pending, visible)),
        found_by=found_by,
    )


@require_safe
@project_page("subjects.read")
def detail(request: ConsoleRequest, subject_id: int) -> HttpResponse:
    """Everything remembered about one subject; ``tab`` chooses what is listed below the head."""
    return _page(request, _head(request, subject_id))


def _page(
    request: ConsoleRequest, head: Head, *, problem: str = "", typed: str = "", status: int = 200
) -> HttpResponse:
    visible, actor, slug = visible_sensitivities(request.actor), request.actor, request.project.slug
    tabs = tabs_of(request, head, request.GET.get("tab", ""), visible)
    tab = next(one.name for one in tabs if one.current)
    listed = {"slug": slug, "head": head, "tab": tab} | TABS[tab](request, head, visible)
    if wants_fragment(request, "results"):
        return render(request, "console/subjects/_tab.html", listed)
    view = with_query(reverse("agent-view", args=[slug]), QueryDict(), user=head.external_id)
    context = listed | {
        "tabs": tabs,
        "stats": stats_of(head, tabs, visible),
        "mix": mix_of(request, head, visible),
        "aliases": head.aliases if allowed(actor, "facts.read_personal") else [(0, HIDDEN) for _ in head.aliases],
        "may_alias": allowed(actor, "subjects.alias"),
        "problem": problem,
        "typed": typed,
        "view_href": view,
        "facts_href": with_query(reverse("facts", args=[slug]), QueryDict(), scope="user", scope_id=head.external_id),
        "list_url": reverse("subjects", args=[slug]),
        "dream_href": with_query(reverse("dream-new", args=[slug]), QueryDict(), scope="user", id=head.external_id)
        if allowed(actor, "dreams.start")
        else "",
        "ask_href": reverse("privacy-new", args=[slug]) if allowed(actor, "privacy.open") else "",
    }
    return render(request, "console/subjects/detail.html", context, status=status)


def _paged(request: ConsoleRequest, page: Page[Any]) -> dict[str, Any]:
    return {
        "newer": page.newer and with_query(request.path, request.GET, cursor=page.newer),
        "older": page.older and with_query(request.path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page" if page.rows else "",
    }


def _cursor(request: ConsoleRequest) -> str | None:
    return request.GET.get("cursor") or None


def _now(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> dict[str, Any]:
    project = request.project
    facts = Fact.objects.in_project(project.id).filter(CURRENT, subject_id=head.id, sensitivity__in=visible)
    context = f"{project.id} subject {head.id} now {','.join(visible)}"
    page = keyset_page(facts, order=("-id",), cursor=_cursor(request), limit=PAGE, context=context)
    served = served_counts(project.id, [fact.id for fact in page.rows]) if page.rows else {}
    rows = fact_rows(request, head, page.rows, served, visible)
    return {"rows": rows, "cap": cap_use(project.id, head, visible)} | _paged(request, page)


def _history(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> dict[str, Any]:
    project = request.project
    facts = Fact.objects.in_project(project.id).filter(CLOSED, subject_id=head.id, sensitivity__in=visible)
    facts = facts.annotate(successor_sensitivity=F("superseded_by__sensitivity"))
    context = f"{project.id} subject {head.id} history {','.join(visible)}"
    page = keyset_page(facts, order=("-id",), cursor=_cursor(request), limit=PAGE, context=context)
    return {"rows": fact_rows(request, head, page.rows, {}, visible)} | _paged(request, page)


def _pending(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> dict[str, Any]:
    project = request.project
    proposals = Proposal.objects.in_project(project.id).filter(
        subject_id=head.id, state__in=["pending", "quarantined"], sensitivity__in=visible
    )
    context = f"{project.id} subject {head.id} pending {','.join(visible)}"
    page = keyset_page(proposals, order=("-created_at", "-id"), cursor=_cursor(request), limit=PAGE, context=context)
    rows = [{"proposal": one, "state": STATE_LABELS[one.state]} for one in page.rows]
    return {"rows": rows} | _paged(request, page)


def _traces(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> dict[str, Any]:
    project = request.project
    page = keyset_page(
        traces_about(project.id, head.id),
        order=("-started_at", "-id"),
        cursor=_cursor(request),
        limit=PAGE,
        context=f"{project.id} subject {head.id} traces",
    )
    rows = [{"trace": trace, "state": state_of(trace)} for trace in page.rows]
    return {"rows": rows} | _paged(request, page)


def _served(request: ConsoleRequest, head: Head, visible: tuple[str, ...]) -> dict[str, Any]:
    project = request.project
    page = keyset_page(
        reads_for(project.id, head.id),
        order=("-at", "-id"),
        cursor=_cursor(request),
        limit=READS,
        context=f"{project.id} subject {head.id} served",
    )
    return {"rows": read_rows(request, page.rows, visible)} | _paged(request, page)


TABS = {"now": _now, "pending": _pending, "history": _history, "traces": _traces, "served": _served}


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("subjects.alias")
def alias_add(request: ConsoleRequest, subject_id: int) -> HttpResponse:
    """POST: one more id of the subject. Anything else leads to his page."""
    url = reverse("subject", args=[request.project.slug, subject_id])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    typed = request.POST.get("external_id", "")
    try:
        alias = add_alias(actor=request.actor, project_id=request.project.id, subject_id=subject_id, external_id=typed)
    except (Invalid, Conflict) as error:
        return _page(request, _head(request, subject_id), problem=error.detail, typed=typed, status=error.status)
    return done(request, url, f"“{alias.external_id}” means this subject from now on.")


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("subjects.alias")
def alias_remove(request: ConsoleRequest, subject_id: int, alias_id: int) -> HttpResponse:
    """POST: the alias leads here no longer. Anything else leads to the subject's page."""
    url = reverse("subject", args=[request.project.slug, subject_id])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    name = remove_alias(actor=request.actor, project_id=request.project.id, subject_id=subject_id, alias_id=alias_id)
    return done(request, url, f"“{name}” leads here no longer. What came in under it stays.")


def _head(request: ConsoleRequest, subject_id: int) -> Head:
    head = head_of(request.project.id, subject_id)
    if head is None:
        raise NotFound("not_found", "There is no such subject in this project.")
    return head
