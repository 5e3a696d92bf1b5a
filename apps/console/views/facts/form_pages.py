"""Writing facts: a new one, and a new version of one."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.console.forms.facts import FactForm, values_of
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.masking import hides
from apps.console.names import actor_names
from apps.console.views.facts.detail import visible_fact
from apps.console.views.facts.state import ListState, list_state
from apps.core.errors import Conflict, Invalid, NotFound
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.changes import marks_seen
from apps.facts.actions.add_fact import add_fact
from apps.facts.categories import categories_of
from apps.facts.models import Fact
from apps.facts.queries import versions
from apps.tenancy.models import Agent

FORM = "console/facts/form.html"


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("facts.add")
def new(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/new`; a scope in the query string is filled in."""
    project = request.project
    action = reverse("fact-new", args=[project.slug])
    if request.method != "POST":
        form = FactForm(initial=_suggested(request), **_offered(request))
        return render(request, FORM, _page(request, form, action))
    form = FactForm(request.POST, **_offered(request))
    if form.is_valid():
        try:
            added = add_fact(actor=request.actor, project_id=project.id, statement=form.statement())
        except Invalid as error:
            form.refuse(error)
        else:
            number, where = f"#{added.fact.id}", ListState(open=str(added.fact.id)).url(project.slug)
            if added.created:
                return done(request, where, f"Added {number}. Agents are told from their next turn.")
            messages.info(request, f"{number} says this already; nothing was added. It is open beside the list.")
            return redirect(where)
    return render(request, FORM, _page(request, form, action), status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("facts.revise")
def edit(request: ConsoleRequest, fact_id: int) -> HttpResponse:
    """`/p/<slug>/facts/<id>/edit`. The number in the path is the version that was read, since each version is a row
    of its own: a form that is sent after somebody else's change meets a closed row and becomes a 409."""
    project = request.project
    fact = visible_fact(request, fact_id)
    if fact is None:
        raise NotFound("not_found", f"There is no fact #{fact_id} here, or none that your role may see.")
    action = reverse("fact-edit", args=[project.slug, fact.id])
    if request.method != "POST":
        if not fact.is_current:
            return _to_newest(request, fact)
        form = FactForm(initial=values_of(fact), **_offered(request))
        return render(request, FORM, _page(request, form, action, fact) | {"masked": hides(fact.sensitivity)})
    form = FactForm(request.POST, initial=values_of(fact), **_offered(request))
    status = 422
    if form.is_valid():
        if not form.has_changed():
            messages.info(request, f"Nothing was changed in #{fact.id}.")
            return redirect(ListState(open=str(fact.id)).url(project.slug))
        try:
            saved, change = edit_fact(
                actor=request.actor,
                project_id=project.id,
                fact_id=fact.id,
                statement=form.statement(fact),
                seen=request.POST.get("seen", ""),
            )
        except Invalid as error:
            form.refuse(error)
        except Conflict as error:
            if error.code == "fact_moved":
                return _moved(request, fact, form)
            form.refuse(error)
            status = error.status
        else:
            where = ListState(open=str(saved.id)).url(project.slug)
            return done(request, where, f"Saved #{saved.id}, which replaces #{fact.id}.", undo=change)
    return render(request, FORM, _page(request, form, action, fact), status=status)


def _offered(request: ConsoleRequest) -> dict[str, list[str]]:
    """The names that the form offers."""
    return {"agents": agents_of(request), "categories": categories_of(request.project.id)}


def _page(request: ConsoleRequest, form: FactForm, action: str, fact: Fact | None = None) -> dict[str, Any]:
    slug = request.project.slug
    return {
        "form": form,
        "action": action,
        "fact": fact,
        "seen": marks_seen(fact) if fact else "",
        "cancel": ListState(open=str(fact.id) if fact else "").url(slug),
    }


def agents_of(request: ConsoleRequest) -> list[str]:
    """Names to choose from."""
    names = Agent.objects.filter(project_id=request.project.id).order_by("name").values_list("name", flat=True)
    return list(names)


def _suggested(request: ConsoleRequest) -> dict[str, str]:
    state = list_state(request.GET)
    if state.scope == "agent":
        return {"scope": "agent", "agent_name": state.scope_id}
    return {"scope": state.scope, "scope_id": state.scope_id} if state.scope else {}


def _newest(fact: Fact) -> Fact | None:
    """The version of the fact that is in force; None when it was retired or its successor was erased."""
    return next((version for version in versions(fact.project_id, fact.id) if version.is_current), None)


def _to_newest(request: ConsoleRequest, fact: Fact) -> HttpResponse:
    newest = _newest(fact)
    if newest is None:
        raise Conflict("fact_moved", f"#{fact.id} was retired, so there is nothing to edit. Add a new fact instead.")
    messages.info(request, f"#{fact.id} was replaced meanwhile; this is #{newest.id}.")
    return redirect("fact-edit", slug=request.project.slug, fact_id=newest.id)


def _moved(request: ConsoleRequest, fact: Fact, form: FactForm) -> HttpResponse:
    """Both versions side by side, and the typed values in a form that saves them over the newer one."""
    slug, newest = request.project.slug, _newest(fact)
    names = actor_names([newest.approved_by] if newest else [], request.actor)
    theirs = values_of(newest) if newest else {}
    mine = form.cleaned_data
    context = {
        "fact": fact,
        "newest": newest,
        "seen": marks_seen(newest) if newest else "",
        "marked": newest is not None and newest.id == fact.id,
        "by": names.get(newest.approved_by, "somebody") if newest else "",
        "mine": mine["content"],
        "differences": [
            {"label": form.fields[name].label, "theirs": value, "mine": mine[name]}
            for name, value in theirs.items()
            if name != "content" and value != mine[name]
        ],
        "form": form,
        "action": reverse("fact-edit", args=[slug, newest.id]) if newest else reverse("fact-new", args=[slug]),
        "cancel": ListState(open=str(newest.id if newest else fact.id)).url(slug),
    }
    return render(request, "console/facts/moved.html", context, status=409)
