"""One dream run: what it would change, and what a person says to that."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed, require
from apps.console.hx import ConsoleRequest, done, project_page, toast, visible_sensitivities, wants_fragment
from apps.console.names import actor_names
from apps.console.shaping import dream_words as words
from apps.console.shaping.dreams import grouped, phases_of, retires, rows_of
from apps.console.shaping.links import scope_url, with_query
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.keyset import keyset_page
from apps.dreaming.actions.accept_safe import accept_safe
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.cancel_dream import cancel_dream
from apps.dreaming.actions.decide_changes import decide_changes
from apps.dreaming.actions.undo_dream import undo_dream
from apps.dreaming.diff import GROUPS, changes_shown, counts_of, how_many, runs_shown, undecided
from apps.dreaming.models import DreamRun
from apps.dreaming.queries import FAILURES

PAGE = 25
MOST_IDS = 1_000
DECISIONS = {"accept": "accepted", "reject": "rejected", "reopen": "pending"}
SAID = {"accept": "Accepted", "reject": "Rejected", "reopen": "Open again"}


@dataclass(frozen=True)
class Answer:
    """What came of a form: words, an address that takes it back, and what was left as it was, by the change's number."""

    text: str
    level: str = "ok"
    undo: str = ""
    problems: Mapping[int, str] = field(default_factory=dict)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("dreams.read")
def run(request: ConsoleRequest, run_id: int) -> HttpResponse:
    """`/p/<slug>/dreams/<n>`: the phases and the changes. POST ``act`` with the changes in ``ids``: accept, reject, reopen,
    apply, undo (without ids: all that was applied), safe, accepted, cancel; ``accept:7`` means change 7 alone."""
    if request.method != "POST":
        return _page(request, run_id)
    require(request.actor, "dreams.decide", project_id=request.project.id)
    act, _, number = (request.POST.get("act") or request.GET.get("act", "")).partition(":")
    ids = _ids([number] if number else request.POST.getlist("ids") or request.GET.getlist("ids"))
    try:
        answer = _act(request, run_id, act, ids)
    except (Conflict, Invalid) as error:
        return _page(request, run_id, answer=Answer(error.detail, "bad"), status=error.status)
    if wants_fragment(request, "run"):
        # What the reader ticked stays ticked beside what he just decided.
        ticked = set(_ids(request.POST.getlist("ids"))) if number or act == "safe" else None
        if ticked is not None and DECISIONS.get(act) == "accepted":
            ticked |= set(ids)
        response = toast(
            _page(request, run_id, answer=answer, ticked=ticked), answer.text, answer.level, undo=answer.undo or None
        )
        if number:
            response["HX-Trigger-After-Settle"] = "onward"
        return response
    if answer.problems:
        return _page(request, run_id, answer=answer)
    here = reverse("dream", args=[request.project.slug, run_id])
    return done(request, here, answer.text, level=answer.level, undo=answer.undo or None)


def _ids(texts: Collection[str]) -> list[int]:
    return [int(text) for text in list(texts)[:MOST_IDS] if text.isascii() and text.isdecimal() and len(text) < 19]


def _act(request: ConsoleRequest, run_id: int, act: str, ids: list[int]) -> Answer:
    who: dict[str, Any] = {"actor": request.actor, "project_id": request.project.id, "run_id": run_id}
    if act == "cancel":
        cancel_dream(**who)
        return Answer(f"Run {run_id} is cancelled. Nothing was changed.", "warn")
    if act == "safe":
        accepted = accept_safe(**who)
        return Answer(f"{_of(len(accepted))} accepted; apply them when you are ready.")
    if act == "undo":
        return _undone(undo_dream(**who, change_ids=ids or None))
    if act == "accepted":
        return _applied(request, apply_changes(**who))
    if not ids:
        raise Invalid("nothing_chosen", "Tick the changes first.", pointer="/ids")
    if act == "apply":
        return _applied(request, apply_changes(**who, change_ids=ids))
    if act not in DECISIONS:
        raise Invalid("unknown_choice", "Choose what to do with the changes.", pointer="/act")
    decide_changes(**who, change_ids=ids, to=DECISIONS[act])
    back = "" if act == "reopen" else _address(request, run_id, "reopen", ids)
    return Answer(f"{SAID[act]}: {_of(len(ids))}.", undo=back)


def _of(number: int) -> str:
    return "one change" if number == 1 else f"{number:,} changes"


def _address(request: ConsoleRequest, run_id: int, act: str, ids: Collection[int]) -> str:
    """Where a POST without a form does this, for the Undo of a message."""
    return f"{reverse('dream', args=[request.project.slug, run_id])}?{urlencode({'act': act, 'ids': list(ids)}, doseq=True)}"


def _applied(request: ConsoleRequest, result: Any) -> Answer:
    made, moved, left = result.applied, result.conflicted, result.left
    parts = [f"Applied {_of(len(made))}"] if made else ["Nothing was applied"]
    parts += [f"{len(moved):,} can’t be applied: something changed since"] if moved else []
    parts += [f"{len(left):,} left"] if left else []
    undo = _address(request, result.run.id, "undo", [one.id for one in made]) if made else ""
    problems = {change.id: detail for change, _, detail in left}
    return Answer(", ".join(parts) + ".", "warn" if moved or left else "ok", undo, problems)


def _undone(result: Any) -> Answer:
    taken, left = f"{_of(len(result.undone))} taken back".capitalize(), result.left
    problems = {change.id: f"Can’t be taken back. {why}" for change, why in left}
    if not left:
        return Answer(f"{taken}.")
    return Answer(f"{taken}, {len(left):,} not: something later rests on it.", "warn", problems=problems)


def _page(
    request: ConsoleRequest,
    run_id: int,
    *,
    answer: Answer | None = None,
    ticked: Collection[int] | None = None,
    status: int = 200,
) -> HttpResponse:
    slug, seen, query = request.project.slug, visible_sensitivities(request.actor), request.GET
    found = runs_shown(request.project.id, seen).filter(id=run_id).first()
    if found is None:
        raise NotFound("not_found", f"There is no dream run {run_id} in this project.")
    path, group = reverse("dream", args=[slug, run_id]), query.get("group", "")
    group = group if group in GROUPS else ""
    rows = changes_shown(request.project.id, run_id, seen)
    page = keyset_page(
        rows.filter(op__in=GROUPS[group]) if group else rows,
        order=("place", "id"),
        cursor=query.get("cursor") or None,
        limit=PAGE,
        context=f"{request.project.id} dream {run_id} {group}",
    )
    names = actor_names([found.requested_by, *(change.decided_by for change in page.rows)], request.actor)
    counts = counts_of(found)
    decides = allowed(request.actor, "dreams.decide")
    shown = rows_of(
        found,
        list(page.rows),
        slug=slug,
        names=names,
        ticked=ticked,
        problems=answer.problems if answer else {},
        decides=decides,
    )
    context = _of_run(found, slug, names) | {
        "slug": slug,
        "path": path,
        "counts": {
            state: how_many(counts, state) for state in ("accepted", "applied", "rejected", "conflicted", "undone")
        },
        "total": how_many(counts),
        "undecided": undecided(counts),
        "safe": how_many(counts, "pending", safe=True),
        "retires": retires(found, counts),
        "groups": grouped(shown, counts),
        "tickable": sum("tick" in row.may for row in shown),
        "ticked": sum(row.ticked for row in shown),
        "elsewhere": bool(page.newer or page.older),
        "segment": _segment(path, query, group, counts),
        "newer": page.newer and with_query(path, query, cursor=page.newer),
        "older": page.older and with_query(path, query, cursor=page.older),
        "here": request.get_full_path() if request.method != "POST" else path,
        "problem": answer if answer and answer.level != "ok" else None,
        "decides": decides,
        "may_cancel": found.is_open and allowed(request.actor, "dreams.cancel"),
        "may_start": not found.is_open and allowed(request.actor, "dreams.start"),
    }
    fragment = wants_fragment(request, "run")
    return render(request, f"console/dreams/{'_answer' if fragment else 'run'}.html", context, status=status)


def _of_run(found: DreamRun, slug: str, names: Mapping[str, str]) -> dict[str, Any]:
    """What the page says of the run itself."""
    gate = found.shown["gate"]  # type: ignore[attr-defined]
    said, percent = words.progress_words(found) if found.is_open else ("", 0)
    phases = phases_of(found)
    return {
        "run": found,
        "state": words.STATES[found.state],
        "origin": words.ORIGIN_LABELS[found.origin],
        "by": names.get(found.requested_by, ""),
        "place_href": scope_url(slug, found.scope, found.scope_id, found.subject_id),
        "again": urlencode({"scope": found.scope, "id": "" if found.scope == "project" else found.scope_id}),
        "session": found.shown["session"],  # type: ignore[attr-defined]
        "stop": words.STOPS.get(found.stop_reason, ""),
        "error": words.error_words(found.error_code) if found.error_code else "",
        "failures": gate["failures"] if gate else 0,
        "most_failures": FAILURES,
        "gate_closed": bool(gate and gate["closed_at"]),
        "phases": phases,
        "seconds": sum(phase.seconds or 0 for phase in phases),
        "calls": sum(phase.calls for phase in phases),
        "tokens": found.prompt_tokens + found.completion_tokens,
        "progress": said,
        "percent": percent,
    }


def _segment(path: str, query: Any, group: str, counts: Any) -> list[dict[str, Any]]:
    """The groups that have something, where there are several."""
    found = {name: how_many(counts, group=name) for name in GROUPS}
    filled = [name for name, n in found.items() if n]
    if len(filled) < 2:
        return []
    everything = {"href": with_query(path, query, group=None), "label": "All", "count": sum(found.values())}
    return [everything | {"current": not group}] + [
        {
            "href": with_query(path, query, group=name),
            "label": words.GROUP_LABELS[name],
            "count": found[name],
            "current": name == group,
        }
        for name in filled
    ]
