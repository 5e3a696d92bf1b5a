"""The way in: what waits, project by project."""

from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.models import User
from apps.access.policies import POLICIES
from apps.access.queries import memberships_of, projects_of
from apps.curation.queries import Waiting, waiting_counts
from apps.dreaming.queries import waiting_runs


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The projects of the member with what waits in each; straight to the only one there is."""
    user = cast(User, request.user)
    projects = projects_of(user)
    if len(projects) == 1:
        return redirect("project", slug=projects[0].slug)
    reviewed, dreamed = _projects_of(user, "proposals.read"), _projects_of(user, "dreams.read")
    waiting = {project_id: waits for project_id, waits in waiting_counts(user.id).items() if project_id in reviewed}
    runs = {project_id: count for project_id, count in waiting_runs(user.id).items() if project_id in dreamed}
    rows = [
        {
            "project": project,
            "href": reverse("project", args=[project.slug]),
            "reviews": project.id in reviewed,
            "waits": _waits(project.slug, waiting.get(project.id, Waiting()), runs.get(project.id, 0)),
        }
        for project in projects
    ]
    total = sum(one.proposals for one in waiting.values())
    response = render(request, "console/home.html", {"rows": rows, "total": total})
    response["Cache-Control"] = "no-store"
    return response


def _projects_of(user: User, verb: str) -> set[int]:
    """Where the member has a role that may do it."""
    return {one.project_id for one in memberships_of(user) if one.role in POLICIES[verb].roles}


def _waits(slug: str, waits: Waiting, runs: int) -> list[dict[str, Any]]:
    found = (
        ("review", waits.proposals, "to review"),
        ("conflicts", waits.conflicts, "to settle"),
        ("dreams", runs, f"dream run{'' if runs == 1 else 's'} to decide"),
    )
    return [{"href": reverse(name, args=[slug]), "count": n, "words": words} for name, n, words in found if n]
