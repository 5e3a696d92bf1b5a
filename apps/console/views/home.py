"""The way in: what waits, project by project."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.models import User
from apps.access.policies import POLICIES
from apps.access.queries import memberships_of, projects_of
from apps.curation.queries import waiting_counts


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
    waiting = {project_id: n for project_id, n in waiting_counts(user.id).items() if project_id in reviewed}
    rows = [
        {
            "project": project,
            "facts_href": reverse("project", args=[project.slug]),
            "review_href": reverse("review", args=[project.slug]) if project.id in reviewed else "",
            "waiting": waiting.get(project.id, 0),
        }
        for project in projects
    ]
    response = render(request, "console/home.html", {"rows": rows, "total": sum(waiting.values())})
    response["Cache-Control"] = "no-store"
    return response
