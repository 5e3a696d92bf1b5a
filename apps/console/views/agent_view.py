"""Agent view: the literal text an agent would be told, the reason for each fact, and the same as a test case."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.models import SENSITIVITIES
from apps.access.policies import allowed, require
from apps.console.agent_view_reads import Met, met
from apps.console.forms.agent_view import BUDGET, LIMIT, Asked, CaseForm, KnobsForm
from apps.console.hx import ConsoleRequest, project_page, wants_fragment
from apps.console.masking import hides
from apps.console.shaping.agent_view import Served, View, ceiling_of, hidden_from, refusal, served_of, view_of
from apps.console.shaping.cases import case_of, faults_of, file_name
from apps.console.shaping.connect import snippet
from apps.console.shaping.degraded import degraded_in_words
from apps.console.shaping.moments import in_words
from apps.core.clock import now
from apps.core.errors import Malformed
from apps.facts.models import MEMORY_TYPES
from apps.recall.cases import dump_case


@require_safe
@project_page("facts.read")
def page(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/agent-view`: the knobs and what comes of them, or for htmx the part ``results`` alone. The reasons are
    the part ``why``, which loads by itself: to compare and to look for what was left out takes longer than to tell. With
    ``why`` they are in the page."""
    fragment, reasons = wants_fragment(request, "results"), wants_fragment(request, "why")
    form, found, context = _read(
        request, menus=not fragment and not reasons, why=reasons or bool(request.GET.get("why"))
    )
    status = 422 if context.get("faults") else 200
    if reasons:
        part = "_reasons" if "view" in context else "_results"
        return render(request, f"console/agent_view/{part}.html", context, status=status)
    if fragment:
        return render(request, "console/agent_view/results.html", context, status=status)
    return render(request, "console/agent_view/page.html", context | _choices(form, found), status=status)


@require_safe
@project_page("facts.read")
def case(request: ConsoleRequest) -> HttpResponse:
    """`…/case`: the facts told and the question as a case for `evaluate usefulness`; with ``as=file`` the file itself.

    What a right answer says is filled in here; without it the file is written too, and has to be completed. Raises
    Malformed where there is no answer to make one of.
    """
    _, _, context = _read(request, menus=False, why=True)
    view: View | None = context.get("view")
    asked: Asked | None = context.get("asked")
    if view is None or asked is None or not asked.question.strip():
        raise Malformed("no_case", "A test case needs an agent, a question, and a read that is answered.")
    words = CaseForm(request.GET if {"name", "expected", "must_not"} & set(request.GET) else None)
    clean = words.cleaned_data if words.is_valid() else {}
    made = case_of(view, asked, **{name: clean.get(name, "") for name in ("name", "expected", "must_not")})
    line = dump_case(made)
    masked = any(hides(one.sensitivity) for one in made.memories)
    if request.GET.get("as") == "file" and not words.errors and not masked:
        response = HttpResponse(line, content_type="application/jsonl; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{file_name(made)}"'
        return response
    context |= {
        "form": words,
        "masked": masked,
        "line": "" if masked else line,
        "made": made,
        "case_faults": faults_of(line) if not words.errors else [],
        "fields": list(asked.given.items()),
        "path": request.path,
        "back": reverse("agent-view", args=[request.project.slug]) + _query(asked.given),
    }
    return render(request, "console/agent_view/case.html", context)


def _read(request: ConsoleRequest, *, menus: bool, why: bool) -> tuple[KnobsForm, Met, dict[str, Any]]:
    """The form, who is meant, and what it comes to: ``faults``, or ``asked`` with ``refused`` or what is ``served`` and
    with ``why`` the ``view``, or ``no_agent``. Raises Refused for a key named by who may not see keys."""
    project = request.project
    form = KnobsForm(request.GET, project=project)
    context: dict[str, Any] = {"slug": project.slug, "path": request.path, "knobs": form}
    asked = form.asked() if form.is_valid() else None
    if asked is not None and asked.key is not None:
        require(request.actor, "keys.read", project_id=project.id)
    found = met(
        project.id,
        request.actor,
        agent=asked.agent if asked else "",
        user=asked.user if asked else "",
        key=asked.key if asked else None,
        menus=menus,
    )
    if asked is None:
        return form, found, context | {"faults": form.faults()}
    agent, key = found.agent, found.key
    if agent is None:
        if asked.agent:
            return form, found, context | {"faults": ["Agent: There is none of this name in this project."]}
        return form, found, context | {"no_agent": True, "snippet": snippet("support")}
    if asked.key is not None and key is None:
        return form, found, context | {"faults": ["As the key: There is no such key in this project."]}
    ceiling = ceiling_of(asked, key)
    context |= {"asked": asked, "agent": agent, "key": key, "ceiling": ceiling}
    if key is not None and (refused := refusal(key, agent, asked)):
        return form, found, context | {"refused": refused}
    # Whether a person is known at all is for those who may see what is known of him.
    unknown = bool(asked.user) and found.subject is None and allowed(request.actor, "facts.read_personal")
    context |= {"unknown_user": unknown}
    if not why:
        served = served_of(project, request.actor, agent, asked, key=key)
        return form, found, context | _about(request, asked, served, ceiling)
    may_review = allowed(request.actor, "proposals.read")
    view = view_of(project, request.actor, agent, asked, key=key, subject=found.subject, with_proposals=may_review)
    reasons = {
        "view": view,
        "nothing": not (view.rows or view.left_out or view.waiting),
        "untold": sum(not row.told for row in view.rows) + view.unlisted,
    }
    return form, found, context | reasons | _about(request, asked, view, ceiling)


def _about(request: ConsoleRequest, asked: Asked, served: Served, ceiling: str) -> dict[str, Any]:
    """What stands around what is told: banners and ways on."""
    slug = request.project.slug
    shared = {name: asked.given[name] for name in ("user", "at") if name in asked.given}
    named = asked.given | {"agent": served.agent.name}
    return {
        "served": served,
        "as_of": in_words(asked.at) if asked.at else "",
        "hidden": hidden_from(request.actor, ceiling),
        "degraded": degraded_in_words(served.degraded),
        "case_href": reverse("agent-view-case", args=[slug]) + _query(named) if asked.question.strip() else "",
        "why_href": reverse("agent-view", args=[slug]) + _query(named | {"why": "1"}),
        "now_href": reverse("agent-view", args=[slug]) + _query({k: v for k, v in asked.given.items() if k != "at"}),
        "travel_href": reverse("time-travel", args=[slug]) + _query({"agent": served.agent.name} | shared),
        "empty_actions": [{"href": reverse("fact-new", args=[slug]), "label": "Add a fact", "primary": True}]
        if allowed(request.actor, "facts.add")
        else [],
    }


def _choices(form: KnobsForm, found: Met) -> dict[str, Any]:
    """What the menus of the knobs offer."""
    return {
        "agents": found.agents,
        "users": found.users,
        "keys": found.keys,
        "ceilings": SENSITIVITIES,
        "memory_types": MEMORY_TYPES,
        "defaults": {"limit": LIMIT, "budget": BUDGET},
        "more_open": any(
            form.data.get(n) for n in ("category", "memory_type", "purpose", "task_type", "ceiling", "key")
        ),
        "now_field": f"{now():%Y-%m-%dT%H:%M}",
    }


def _query(given: dict[str, str]) -> str:
    return f"?{urlencode(given)}" if given else ""
