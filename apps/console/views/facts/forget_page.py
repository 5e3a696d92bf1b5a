"""Forgetting a fact: what goes and what stays, shown before it is done."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.forms.facts import ForgetForm
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities
from apps.console.views.facts.detail import visible_fact
from apps.console.views.facts.state import ListState
from apps.core.errors import Conflict, NotFound
from apps.privacy.actions.forget_fact import Forgotten, forget_fact
from apps.privacy.queries import SHOWN, ForgetCounts, forget_counts, forgotten_rows


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.forget_fact")
def forget(request: ConsoleRequest, fact_id: int) -> HttpResponse:
    """`/p/<slug>/facts/<id>/forget`: the numbers first; the form sends them back, so that nothing goes that was not
    shown."""
    project = request.project
    if request.method != "POST":
        return render(request, "console/facts/forget.html", _preview(request, fact_id))
    fact = visible_fact(request, fact_id)
    if fact is None:
        raise _not_there(fact_id)
    form = ForgetForm(request.POST)
    expected = ForgetCounts(**form.cleaned_data) if form.is_valid() else None
    try:
        if expected is None:
            raise Conflict("preview_outdated", "The form did not say what was shown; look at it again.")
        gone = forget_fact(actor=request.actor, project_id=project.id, fact_id=fact.id, expected=expected)
    except Conflict as error:
        context = _preview(request, fact_id) | {"problem": error.detail}
        return render(request, "console/facts/forget.html", context, status=error.status)
    return done(request, ListState().url(project.slug), said(fact.id, gone))


def said(fact_id: int, gone: Forgotten) -> str:
    """``Forgot #12: 3 facts, 2 quotes, 1 proposal before; 0 after``."""
    before, after = gone.before, gone.after
    left = after.facts + after.evidence + after.proposals + after.tellings
    return f"Forgot #{fact_id}: {', '.join(_lines(before))} before; {left} after."


def _lines(counts: ForgetCounts) -> list[str]:
    return [
        _count(counts.facts, "fact"),
        _count(counts.evidence, "quote"),
        _count(counts.proposals, "proposal"),
    ]


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _capped(number: int, word: str) -> str:
    return f"more than {_count(SHOWN, word)}" if number > SHOWN else _count(number, word)


def _not_there(fact_id: int) -> NotFound:
    return NotFound("not_found", f"There is no fact #{fact_id} here, or none that your role may see.")


def _preview(request: ConsoleRequest, fact_id: int) -> dict[str, Any]:
    project, slug = request.project, request.project.slug
    rows = forgotten_rows(project.id, fact_id)
    fact = next((one for one in rows.facts if one.id == fact_id), None)
    if fact is None or fact.sensitivity not in visible_sensitivities(request.actor):
        raise _not_there(fact_id)
    counts = forget_counts(project.id, rows, most=SHOWN + 1)
    return {
        "fact": fact,
        "counts": counts,
        "form": ForgetForm(initial=counts.as_dict()),
        "goes": [
            _capped(counts.facts, "fact") + _superseded(counts.superseded),
            _capped(counts.evidence, "quote") + " that they or their proposals rest on",
            _capped(counts.proposals, "proposal") + " that made them, would change them or say the same",
            *([_capped(counts.tellings, "count") + " of who was told them, and how often"] if counts.tellings else []),
        ],
        "newer": fact.superseded_by_id,
        "traces": sorted({one.source_trace_id for one in rows.facts if one.source_trace_id}),
        "may_read_traces": allowed(request.actor, "traces.read"),
        "action": reverse("fact-forget", args=[slug, fact.id]),
        "cancel": ListState(open=str(fact.id)).url(slug),
    }


def _superseded(number: int) -> str:
    return f", {_capped(number, 'superseded version')} among them" if number else ""
