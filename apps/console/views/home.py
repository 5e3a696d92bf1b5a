"""The way in: what waits, project by project."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from apps.access.models import User
from apps.access.queries import projects_of
from apps.curation.queries import waiting_counts


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The projects of the member with their waiting proposals; straight to the only one there is."""
    user = cast(User, request.user)
    projects = projects_of(user)
    if len(projects) == 1:
        return redirect("facts", slug=projects[0].slug)
    waiting = waiting_counts(user.id)
    rows = [{"project": project, "waiting": waiting.get(project.id, 0)} for project in projects]
    response = render(request, "console/home.html", {"rows": rows, "total": sum(waiting.values())})
    response["Cache-Control"] = "no-store"
    return response
