"""Changing several facts, ticked in the list or all that match its filter; one fact too, from its menu."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from apps.console.forms.bulk import FORMS, WishForm
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities
from apps.console.masking import hides
from apps.console.shaping.bulk import ACTS, done_in_words, facts
from apps.console.views.facts.form_pages import agents_of
from apps.console.views.facts.left import keep_left
from apps.console.views.facts.state import ListState, list_state
from apps.core.errors import Conflict, DomainError, Malformed
from apps.curation.actions.change_facts import MOST, Changed, change_facts
from apps.curation.actions.merge_facts import check_mergeable, merge_facts
from apps.curation.changing import Wish, objection
from apps.facts.categories import categories_of
from apps.facts.models import Fact
from apps.facts.queries import matching_ids

SHOWN = 12
"""Facts shown of those that are asked about."""


@dataclass(frozen=True)
class Picked:
    """The facts a form names, newest first, as far as the reader may see them. ``whole``: a whole page or more was
    picked; ``capped``: more match than are changed at once."""

    facts: list[Fact]
    whole: bool
    capped: bool = False

    @property
    def ids(self) -> list[int]:
        return [fact.id for fact in self.facts]


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("facts.handle")
def bulk(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/bulk`. ``act`` is a kind, with its value after a colon where the button says one; ``ids`` (or
    ``picked``, with commas) name the facts, ``all`` means every one that matches ``list``, the list's query string, to
    which the answer leads back. What needs a word, ends something, reaches a whole page or is refused by some of them
    is asked on a page first, which sends ``confirmed``."""
    state = list_state(QueryDict(request.POST.get("list", "").removeprefix("?")))
    if request.method != "POST":
        return redirect(ListState().url(request.project.slug))
    kind, _, preset = request.POST.get("act", "").partition(":")
    if kind not in ACTS:
        raise Malformed("unknown_choice", "There is no such act.", parameter="act")
    picked = _picked(request, state)
    if not picked.facts:
        return done(
            request, state.url(request.project.slug), "Nothing was picked, so nothing was changed.", level="warn"
        )
    form = _form(request, kind, preset, picked)
    if kind == "merge":
        return _merge(request, state, picked, form)
    if not form.is_valid():
        return _ask(request, state, kind, picked, form, {})
    return _change(request, state, kind, picked, form)


def _change(request: ConsoleRequest, state: ListState, kind: str, picked: Picked, form: WishForm) -> HttpResponse:
    wish = form.wish()
    refused = {fact.id: why for fact in picked.facts if (why := objection(fact, wish))}
    confirmed = bool(request.POST.get("confirmed"))
    if not confirmed and (ACTS[kind].danger or picked.whole or (refused and len(picked.facts) > 1)):
        return _ask(request, state, kind, picked, form, refused)
    able = [fact_id for fact_id in picked.ids if fact_id not in refused]
    try:
        # What the page said can't be done is not tried; what refuses since then is a failure.
        tried = able if confirmed else picked.ids
        result = change_facts(actor=request.actor, project_id=request.project.id, fact_ids=tried, wish=wish)
    except DomainError as error:
        form.refuse(error)
        return _ask(request, state, kind, picked, form, refused, status=error.status)
    return _report(request, state, wish, result, tried)


def _report(request: ConsoleRequest, state: ListState, wish: Wish, result: Changed, tried: list[int]) -> HttpResponse:
    slug, back = request.project.slug, state
    keep_left(request, result.left)
    if not result.done:
        said = result.left[0][1] if len(result.left) == 1 else f"None of {facts(len(tried))} was changed."
        return done(request, back.url(slug), said or "Nothing was changed.", level="warn")
    if state.open and len(result.done) == 1:
        back = state.but(cursor=state.cursor, open=str(result.done[0].id))
    said = done_in_words(result.done, len(result.left), wish, tried)
    return done(request, back.url(slug), said, undo=result.change, level="warn" if result.left else "ok")


def _merge(request: ConsoleRequest, state: ListState, picked: Picked, form: WishForm) -> HttpResponse:
    try:
        check_mergeable(picked.facts)
    except DomainError as error:
        return _ask(request, state, "merge", picked, form, {}, problem=error.detail, status=error.status)
    if not form.is_valid():
        return _ask(request, state, "merge", picked, form, {})
    try:
        merged, change = merge_facts(
            actor=request.actor,
            project_id=request.project.id,
            fact_ids=picked.ids,
            content=form.cleaned_data["content"],
        )
    except Conflict as error:
        return _ask(request, state, "merge", picked, form, {}, problem=error.detail, status=error.status)
    except DomainError as error:
        form.refuse(error)
        return _ask(request, state, "merge", picked, form, {}, status=error.status)
    where = state.but(cursor=state.cursor, open=str(merged.id)).url(request.project.slug)
    return done(request, where, f"{facts(len(picked.facts))} merged into #{merged.id}.", undo=change)


def _ask(
    request: ConsoleRequest,
    state: ListState,
    kind: str,
    picked: Picked,
    form: WishForm,
    refused: dict[int, str],
    *,
    problem: str = "",
    status: int = 0,
) -> HttpResponse:
    """The page before the change: what is picked, who refuses, and what has still to be said."""
    act, able = ACTS[kind], len(picked.facts) - len(refused)
    context = {
        "title": f"{act.verb} {facts(len(picked.facts))}",
        "label": f"{act.verb} {facts(able)}",
        "danger": act.danger,
        "form": form if form.fields else None,
        "problem": problem,
        "kind": kind,
        "act": request.POST["act"] if not form.fields else kind,
        "shown": picked.facts[:SHOWN],
        "masked": kind == "merge" and any(hides(fact.sensitivity) for fact in picked.facts),
        "more": max(0, len(picked.facts) - SHOWN),
        "refused": [(fact_id, why) for fact_id, why in sorted(refused.items(), reverse=True)][:SHOWN],
        "able": able,
        "total": len(picked.facts),
        "capped": picked.capped,
        "most": MOST,
        "picked": ",".join(map(str, picked.ids)),
        "list": state.query(),
        "back": state.url(request.project.slug),
    }
    failed = form.is_bound and not form.is_valid()
    return render(request, "console/facts/bulk.html", context, status=status or (422 if failed else 200))


def _form(request: ConsoleRequest, kind: str, preset: str, picked: Picked) -> WishForm:
    """Bound as soon as something is said: by the page before, or by the button itself."""
    made: dict[str, Any] = {"kind": kind, "agents": agents_of(request) if kind == "move" else []}
    if kind == "file":
        made["categories"] = categories_of(request.project.id)
    form = FORMS.get(kind, WishForm)
    fields = list(form.base_fields)
    if preset and fields:
        return form({fields[0]: preset}, **made)
    if not fields or any(name in request.POST for name in fields):
        return form(request.POST, **made)
    first = picked.facts[-1]
    content = "" if hides(first.sensitivity) else first.content
    return form(initial={"content": content, "sensitivity": first.sensitivity}, **made)


def _picked(request: ConsoleRequest, state: ListState) -> Picked:
    project_id, visible = request.project.id, visible_sensitivities(request.actor)
    named = [*request.POST.getlist("ids"), *request.POST.get("picked", "").split(",")]
    ids = {int(number) for number in named if number.isascii() and number.isdecimal() and len(number) <= 18}
    shown = request.POST.get("shown", "")
    whole = shown.isdecimal() and 1 < int(shown) <= len(ids)
    capped = False
    if request.POST.get("all") and not request.POST.get("confirmed"):
        if state.by_meaning:
            raise Malformed(
                "no_such_choice", "What is like your words has no end: tick facts one by one.", parameter="all"
            )
        found = matching_ids(project_id, state.wanted(project_id, visible), MOST + 1)
        ids, whole, capped = set(found[:MOST]), True, len(found) > MOST
    rows = Fact.objects.in_project(project_id).filter(id__in=ids, sensitivity__in=visible).select_related("agent")
    return Picked(list(rows.order_by("-id")[:MOST]), whole, capped)
