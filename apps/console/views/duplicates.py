"""Duplicates: groups of facts that may be one, and what is done about them."""

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed, require
from apps.console.duplicates import Member, group_counts, groups_of, likeness_of, members_of
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.shaping.duplicates import afterwards, group_of, losses
from apps.console.shaping.links import with_query
from apps.core.counting import MOST
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid, NotFound
from apps.core.keyset import keyset_page
from apps.curation.actions.merge_duplicates import Merge, merge_duplicates
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.part_duplicates import part_duplicates
from apps.curation.duplicates import LEAST
from apps.curation.likeness import SAME_MEANING
from apps.curation.models import DuplicateGroup
from apps.tenancy.models import Agent

PAGE = 8
AGENTS = 20
KINDS = {"": "All", "text": "Same text", "meaning": "Same meaning"}


@require_safe
@project_page("proposals.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/duplicates`: the closest first. ``alike`` is the least likeness shown, ``kind`` text or meaning,
    ``facts`` numbers of facts, of which each group shown has one; ``open`` the group in the drawer."""
    wanted = _numbers(request.GET.get("open", ""))[:1]
    context, members = _results(request, wanted)
    if wants_fragment(request, "results"):
        return render(request, "console/duplicates/_fragment.html", context)
    for number in wanted:
        context |= _details(request, number, members[number]) | {"open": number}
    return render(request, "console/duplicates/list.html", context)


def _results(request: ConsoleRequest, opened: tuple[int, ...]) -> tuple[dict[str, Any], dict[int, list[Member]]]:
    """What the list shows, and the members of its groups and of the opened one."""
    project_id, slug = request.project.id, request.project.slug
    query, least = _state(request.GET)
    kind, facts = query.get("kind", ""), [int(number) for number in query.get("facts", "").split(",") if number]
    path = reverse("duplicates", args=[slug])
    page = keyset_page(
        groups_of(project_id, kind=kind, facts=facts),
        order=("-id",) if kind == "text" else ("-alike", "-id"),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project_id} duplicates {least} {kind} {facts}",
        between=likeness_of(kind, least),
    )
    members = members_of(project_id, [*(group.id for group in page.rows), *opened])
    carried = with_query("", query, cursor=request.GET.get("cursor")).removeprefix("?")
    groups = [found for group in page.rows if (found := group_of(group, members[group.id], slug, carried))]
    counts = dict(zip(("text", "meaning"), group_counts(project_id, least), strict=True))
    counts[""] = min(MOST + 1, counts["text"] + counts["meaning"])
    context = {
        "path": path,
        "groups": groups,
        "ready": [group for group in groups if group.ready],
        "alike": f"{least:.2f}",
        "least": f"{LEAST:.2f}",
        "kind": kind,
        "facts": query.get("facts", ""),
        "carried": carried,
        "total": counts[kind],
        "may_merge": allowed(request.actor, "duplicates.merge"),
        "segment": [
            {"href": with_query(path, query, kind=name), "label": label, "count": counts[name], "current": name == kind}
            for name, label in KINDS.items()
        ],
        "chips": _chips(path, query),
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
    }
    return context, members


def _state(given: QueryDict) -> tuple[QueryDict, float]:
    """What of a query string is understood, and the threshold; anything else is as good as nothing."""
    query = QueryDict(mutable=True)
    if re.fullmatch(r"[01]?\.[0-9]{1,3}|1", given.get("alike", "")):
        query["alike"] = given.get("alike", "")
    if given.get("kind", "") in KINDS:
        query["kind"] = given.get("kind", "")
    numbers = [number for number in given.get("facts", "").split(",") if re.fullmatch(r"[0-9]{1,18}", number.strip())]
    if numbers:
        query["facts"] = ",".join(number.strip() for number in numbers[:100])
    return query, min(1.0, max(LEAST, float(query.get("alike") or SAME_MEANING)))


def _chips(path: str, query: QueryDict) -> list[dict[str, str]]:
    facts = query.get("facts", "")
    if not facts:
        return []
    shown = ", ".join(f"#{number}" for number in facts.split(",")[:5]) + (" …" if facts.count(",") > 4 else "")
    return [{"label": "facts", "value": shown, "href": with_query(path, query, facts=None)}]


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("proposals.read")
def group(request: ConsoleRequest, group_id: int) -> HttpResponse:
    """`/p/<slug>/facts/duplicates/<n>`: one group, in the drawer or as a page, with what each agent would be told;
    ``keep`` asks it for another fact. POST does what its button says."""
    if request.method != "POST":
        context = _details(request, group_id, members_of(request.project.id, [group_id])[group_id])
        if context["group"] is None:
            raise NotFound("not_found", "These facts are no longer together.")
        in_drawer = wants_fragment(request, "drawer")
        return render(request, f"console/duplicates/{'_drawer' if in_drawer else 'detail'}.html", context)
    slug, act = request.project.slug, request.POST.get("act", "")
    require(request.actor, "duplicates.merge", project_id=request.project.id)
    back = reverse("duplicates", args=[slug])
    carried = with_query("", _state(QueryDict(request.POST.get("list", "")))[0])
    ids = _numbers(request.POST.get("facts", ""))
    try:
        if act == "keep":
            (keep,) = _numbers(request.POST.get("keep", "")) or (0,)
            merge = Merge(keep, tuple(number for number in ids if number != keep))
            if keep not in ids:
                raise Invalid("nothing_chosen", "Choose which one is kept.", pointer="/keep")
            _, change = merge_duplicates(actor=request.actor, project_id=request.project.id, merges=[merge])
            text = f"Kept #{keep}; {_superseded(len(merge.others))}."
        elif act == "conflict":
            conflict, change = open_conflict(actor=request.actor, project_id=request.project.id, fact_ids=ids)
            back, carried = reverse("conflict", args=[slug, conflict.id]), ""
            text = "Put against each other. Agents go on being told both until somebody decides."
        else:
            change = part_duplicates(actor=request.actor, project_id=request.project.id, fact_ids=ids)
            text = "Told apart; they won't be asked about again."
    except (Invalid, Moved) as error:
        return _refused(request, group_id, error)
    return done(request, back + carried, text, undo=change)


def _superseded(number: int) -> str:
    return f"{number} other{'' if number == 1 else 's'} superseded"


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split()[:50] if re.fullmatch(r"[0-9]{1,18}", number))


def _refused(request: ConsoleRequest, group_id: int, error: Invalid | Moved) -> HttpResponse:
    """The group as it is now, with what was wrong; where it is gone, the list says so."""
    members = members_of(request.project.id, [group_id])[group_id]
    context = _details(request, group_id, members) | {"problem": error.detail}
    if context["group"] is None:
        raise Moved("not_together", "These facts changed since you read them; nothing was saved.")
    return render(request, "console/duplicates/detail.html", context, status=error.status)


def _details(request: ConsoleRequest, group_id: int, members: list[Member]) -> dict[str, Any]:
    project_id, slug = request.project.id, request.project.slug
    query, _ = _state(request.GET)
    cursor = request.GET.get("cursor") or None
    # A group is as much alike as its closest two.
    row = DuplicateGroup(id=group_id, alike=max((member.alike for member in members), default=0))
    found = group_of(row, members, slug, with_query("", query, cursor=cursor).removeprefix("?"))
    context: dict[str, Any] = {
        "group": found,
        "close_href": with_query(reverse("duplicates", args=[slug]), query, cursor=cursor),
        "carried": query.urlencode(),
        "may_merge": allowed(request.actor, "duplicates.merge"),
    }
    if found is None:
        return context
    numbers = {member.fact.id for member in members}
    asked = next(iter(_numbers(request.GET.get("keep", ""))), 0)
    keep = asked if asked in numbers else found.keeping.keep.id
    agents = Agent.objects.filter(project_id=project_id).order_by("name").values_list("name", flat=True)[:AGENTS]
    return context | {
        "keep": keep,
        "agents": afterwards(members, keep, list(agents)),
        "losses": losses(members, keep),
        "others": [
            {"id": number, "href": f"{found.href.partition('?')[0]}?{urlencode({**query.dict(), 'keep': number})}"}
            for number in sorted(numbers - {keep})
        ],
    }


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("duplicates.merge")
def keep_suggested(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/duplicates/keep`: asks before the suggested fact of each named group is kept, and does it. All or
    nothing: one that changed meanwhile stops them all."""
    path = reverse("duplicates", args=[request.project.slug])
    given = request.POST if request.method == "POST" else request.GET
    merges = [Merge(first, tuple(rest)) for first, *rest in map(_numbers, given.getlist("merge")[:PAGE]) if rest]
    if not merges:
        return HttpResponseRedirect(path)
    others = sum(len(merge.others) for merge in merges)
    if request.method == "POST":
        _, change = merge_duplicates(actor=request.actor, project_id=request.project.id, merges=merges)
        text = f"Kept {len(merges)} fact{'' if len(merges) == 1 else 's'}; {_superseded(others)}."
        return done(request, path, text, undo=change)
    context = {
        "merges": [(merge.keep, merge.others, " ".join(map(str, (merge.keep, *merge.others)))) for merge in merges],
        "others": others,
        "cancel": path,
    }
    return render(request, "console/duplicates/confirm.html", context)
