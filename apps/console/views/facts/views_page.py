"""Saved views of the list: naming the filter on the screen, what is offered in the menu, changing and deleting one."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.forms.errors import show_errors
from apps.console.forms.views import ViewForm
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.views.facts.asked import shown_state
from apps.console.views.facts.empty import in_words
from apps.console.views.facts.state import ListState, kept_state
from apps.core.errors import Conflict, Invalid, Malformed
from apps.insight.actions.change_view import change_view
from apps.insight.actions.delete_view import delete_view
from apps.insight.actions.save_view import save_view
from apps.insight.queries import View, view_rows, views_of
from apps.insight.saved import not_there


@dataclass(frozen=True)
class Shown:
    """A view as it is offered. ``href`` is empty, and so is ``said``, where the filter names a choice that is gone."""

    view: View
    href: str
    said: str
    current: bool
    changed: bool
    may_delete: bool

    @property
    def own(self) -> bool:
        return not self.view.by


def shown_views(request: ConsoleRequest, views: list[View], state: ListState | None = None) -> list[Shown]:
    """The reader's own by name, then what others share; which of them ``state`` began with."""
    tidies = allowed(request.actor, "views.tidy")
    found = []
    for view in views:
        kept = opened(view)
        current = state is not None and state.view == str(view.id)
        found.append(
            Shown(
                view=view,
                href=kept.url(request.project.slug) if kept else "",
                said=in_words(kept) if kept else "",
                current=current,
                changed=current and state is not None and (kept is None or state.kept != kept.kept),
                may_delete=not view.by or tidies,
            )
        )
    return found


def offered(request: ConsoleRequest) -> list[View]:
    """What the reader may choose from. One statement."""
    user_id = int(request.actor.id)
    return views_of(view_rows(request.project.id, user_id), user_id)


def opened(view: View) -> ListState | None:
    """The state it leads to; none where a choice that it names is gone."""
    try:
        return kept_state(view.query, view.id)
    except Malformed:
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("views.save")
def views(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/views`: all that the reader may choose from. A POST names the filter on the screen, or that of
    ``list``; refused, the form comes back with what is wrong."""
    if request.method != "POST":
        return render(request, "console/facts/views.html", {"views": shown_views(request, offered(request))})
    state = shown_state(request).but()
    form = ViewForm(request.POST, may_share=_may_share(request))
    if form.is_valid():
        try:
            view = save_view(actor=request.actor, project_id=request.project.id, query=state.kept, **form.cleaned_data)
        except (Invalid, Conflict) as error:
            show_errors(form, error)
        else:
            url = kept_state(view.query, view.id).url(request.project.slug)
            return done(request, url, f"Saved as “{view.name}”.")
    context = {"form": form, "asked": state, "said": in_words(state), "list_url": _list_url(request)}
    return render(request, "console/facts/view_new.html", context, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("views.save")
def one_view(request: ConsoleRequest, view_id: int) -> HttpResponse:
    """`/p/<slug>/facts/views/<id>`: its name, who sees it, and whether it opens first. A POST with ``keep`` puts the filter on
    the screen in place of the view's own."""
    shown = _one(request, view_id)
    if not shown.own:
        raise not_there()
    view = shown.view
    asked: dict[str, Any] = {"actor": request.actor, "project_id": request.project.id, "view_id": view_id}
    if request.method == "POST" and request.POST.get("keep"):
        state = shown_state(request).but(view=str(view.id))
        changed = change_view(**asked, query=state.kept)
        said = f"“{view.name}” keeps this filter now." if changed else "Nothing was different."
        return done(request, state.url(request.project.slug), said)
    initial = {"name": view.name, "shared": view.shared, "default": view.is_default}
    form = ViewForm(request.POST if request.method == "POST" else None, may_share=_may_share(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_view(**asked, **form.cleaned_data)
        except (Invalid, Conflict) as error:
            show_errors(form, error)
        else:
            said = f"Changed “{form.cleaned_data['name']}”." if changed else "Nothing was different."
            return done(request, _list_url(request), said)
    context = {"shown": shown, "form": form, "list_url": _list_url(request)}
    return render(request, "console/facts/view.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("views.save")
def view_delete(request: ConsoleRequest, view_id: int) -> HttpResponse:
    """`/p/<slug>/facts/views/<id>/delete`"""
    shown = _one(request, view_id)
    if not shown.may_delete:
        raise not_there()
    if request.method == "POST":
        delete_view(actor=request.actor, project_id=request.project.id, view_id=view_id)
        return done(request, _list_url(request), f"Deleted “{shown.view.name}”.")
    lines = ["The facts it shows stay as they are."]
    if shown.view.shared:
        lines.append("It is shared: it goes for everybody in this project.")
    context = {
        "title": f"Delete “{shown.view.name}”",
        "text": f"It shows {shown.said}." if shown.said else "",
        "facts": lines,
        "action": request.path,
        "label": "Delete view",
        "cancel": _list_url(request),
    }
    return render(request, "confirm.html", context)


def menu(request: ConsoleRequest, state: ListState, views: list[View]) -> dict[str, Any]:
    """What templates/console/facts/_views.html shows in the head of the list."""
    shown = shown_views(request, views, state)
    return {
        "views": shown,
        "current": next((one for one in shown if one.current), None),
        "may_share": _may_share(request),
        "save_href": _list_url(request),
    }


def default_of(views: list[View]) -> ListState | None:
    """What the list shows that is opened without a filter, if the reader has a view for that."""
    return next((opened(view) for view in views if view.is_default and not view.by), None)


def _one(request: ConsoleRequest, view_id: int) -> Shown:
    view = next((view for view in offered(request) if view.id == view_id), None)
    if view is None:
        raise not_there()
    return shown_views(request, [view])[0]


def _may_share(request: ConsoleRequest) -> bool:
    return allowed(request.actor, "views.share")


def _list_url(request: ConsoleRequest) -> str:
    return reverse("facts-views", args=[request.project.slug])
