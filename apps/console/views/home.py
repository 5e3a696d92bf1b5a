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


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The projects of the member with their waiting proposals; straight to the only one there is."""
    user = cast(User, request.user)
    projects = projects_of(user)
    if len(projects) == 1:
        return redirect("project", slug=projects[0].slug)
    reviewers = POLICIES["proposals.read"].roles
    reviewed = {one.project_id for one in memberships_of(user) if one.role in reviewers}
    waiting = {project_id: waits for project_id, waits in waiting_counts(user.id).items() if project_id in reviewed}
    rows = [
        {
            "project": project,
            "href": reverse("project", args=[project.slug]),
            "reviews": project.id in reviewed,
            "waits": _waits(project.slug, waiting.get(project.id, Waiting())),
        }
        for project in projects
    ]
    total = sum(one.proposals for one in waiting.values())
    response = render(request, "console/home.html", {"rows": rows, "total": total})
    response["Cache-Control"] = "no-store"
    return response


def _waits(slug: str, waits: Waiting) -> list[dict[str, Any]]:
    found = (("review", waits.proposals, "to review"), ("conflicts", waits.conflicts, "to settle"))
    return [{"href": reverse(name, args=[slug]), "count": n, "words": words} for name, n, words in found if n]
