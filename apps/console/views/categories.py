"""Settings: what the project's facts are sorted into."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from apps.access.models import ApiKey
from apps.access.policies import allowed
from apps.console.forms.categories import CategoryForm, RenameForm
from apps.console.forms.errors import show_errors
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities
from apps.console.shaping.settings import sections
from apps.core.errors import DomainError, Invalid, NotFound
from apps.facts.actions.add_category import add_category
from apps.facts.actions.enable_category import enable_category
from apps.facts.actions.rename_category import rename_category
from apps.facts.actions.retire_category import retire_category
from apps.facts.categories import GENERAL, MOST_OFFERED, Use, uses
from apps.privacy.models import RetentionRule

KEYS_NAMED = 20


@require_http_methods(["GET", "HEAD"])
@project_page("categories.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/settings/categories`: the list in its order, with how many facts hold each."""
    return _list(request, CategoryForm())


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("categories.change")
def add(request: ConsoleRequest) -> HttpResponse:
    """The form stands on the list, which is where this leads."""
    url = reverse("settings-categories", args=[request.project.slug])
    if request.method != "POST":
        return redirect(url)
    form = CategoryForm(request.POST)
    if form.is_valid():
        try:
            added = add_category(actor=request.actor, project_id=request.project.id, name=form.cleaned_data["name"])
        except Invalid as error:
            show_errors(form, error, {"name": "name"})
        else:
            return done(request, url, f"“{added.name}” is offered from now on.")
    return _list(request, form, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("categories.change")
def rename(request: ConsoleRequest) -> HttpResponse:
    """`?name=` says which. What it changes, and what it leaves, is said before it is done."""
    name = request.GET.get("name", "")
    found = uses(request.project.id, visible_sensitivities(request.actor))
    use = next((use for use in found if use.listed and not use.retired and use.name == name), None)
    if use is None or name == GENERAL:
        raise NotFound("not_found", "There is no such category, or it keeps its name.")
    offered = [other.name for other in found if other.listed and not other.retired and other.name != name]
    posted = request.method == "POST"
    form = RenameForm(request.POST if posted else None, initial={"name": name}, categories=offered)
    if posted and form.is_valid():
        try:
            to = rename_category(
                actor=request.actor, project_id=request.project.id, name=name, to=form.cleaned_data["name"]
            )
        except DomainError as error:
            show_errors(form, error)
        else:
            said = f"“{name}” is now called “{to.name}”."
            if use.facts:
                one = use.facts == 1 and not use.more
                said += f" {_count(use)} {'keeps' if one else 'keep'} the old name until {'it is' if one else 'they are'} filed anew."
            return done(request, reverse("settings-categories", args=[request.project.slug]), said)
    context = {
        "slug": request.project.slug,
        "form": form,
        "use": use,
        "count": _count(use),
        "one": use.facts == 1 and not use.more,
        "facts_url": _facts_url(request.project.slug, name),
        "keys": _keys_naming(request, name),
        "rules": RetentionRule.objects.filter(project_id=request.project.id, category=name).count(),
        "may_see_keys": allowed(request.actor, "keys.read"),
        "back": reverse("settings-categories", args=[request.project.slug]),
    }
    return render(request, "console/settings/category_rename.html", context, status=422 if form.errors else 200)


@require_POST
@project_page("categories.change")
def retire(request: ConsoleRequest) -> HttpResponse:
    """``name`` in the form."""
    row = retire_category(actor=request.actor, project_id=request.project.id, name=request.POST.get("name", ""))
    said = f"“{row.name}” is offered no longer. The facts that hold it keep it."
    return done(request, reverse("settings-categories", args=[request.project.slug]), said)


@require_POST
@project_page("categories.change")
def enable(request: ConsoleRequest) -> HttpResponse:
    """``name`` in the form."""
    row = enable_category(actor=request.actor, project_id=request.project.id, name=request.POST.get("name", ""))
    return done(request, reverse("settings-categories", args=[request.project.slug]), f"“{row.name}” is offered again.")


def _list(request: ConsoleRequest, form: CategoryForm, *, status: int = 200) -> HttpResponse:
    slug = request.project.slug
    rows = [_row(slug, use) for use in uses(request.project.id, visible_sensitivities(request.actor))]
    context = {
        "slug": slug,
        "offered": [row for row in rows if row["listed"] and not row["retired"]],
        "others": [row for row in rows if not row["listed"]],
        "retired": [row for row in rows if row["retired"]],
        "form": form,
        "most": MOST_OFFERED,
        "may_change": allowed(request.actor, "categories.change"),
        "sections": sections(slug, "settings-categories", request.actor),
    }
    return render(request, "console/settings/categories.html", context, status=status)


def _row(slug: str, use: Use) -> dict[str, Any]:
    return {
        "name": use.name,
        "retired": use.retired,
        "listed": use.listed,
        "now_called": use.now_called,
        "fixed": use.name == GENERAL,
        "count": _number(use),
        "href": _facts_url(slug, use.name) if use.facts else "",
        "rename": f"{reverse('category-rename', args=[slug])}?{urlencode({'name': use.name})}",
    }


def _facts_url(slug: str, name: str) -> str:
    return f"{reverse('facts', args=[slug])}?{urlencode({'category': name})}"


def _number(use: Use) -> str:
    return f"{use.facts:,}{'+' if use.more else ''}"


def _count(use: Use) -> str:
    return f"{_number(use)} fact{'' if use.facts == 1 and not use.more else 's'}"


def _keys_naming(request: ConsoleRequest, name: str) -> list[str]:
    """Names of living keys that may read only some categories, this one among them."""
    keys = ApiKey.objects.filter(project_id=request.project.id, revoked_at=None, categories__contains=[name])
    return list(keys.order_by("-id").values_list("name", flat=True)[:KEYS_NAMED])
