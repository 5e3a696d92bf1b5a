"""The link that the SDK prints after it registered an agent."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from apps.access.queries import projects_of
from apps.console.hx import error_page, to_login
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.tenancy.queries import find_agent


@require_safe
def from_sdk(request: HttpRequest, agent_id: str) -> HttpResponse:
    """`/next/agents/<id>`: the agent's page in whichever of the member's projects has it. The link names no project."""
    if not request.user.is_authenticated:
        return to_login(request)
    for project in projects_of(request.user):
        with bind(project.id):
            agent = find_agent(project_id=project.id, name_or_id=agent_id)
        if agent:
            return redirect("agent", slug=project.slug, agent_id=agent.id)
    return error_page(request, NotFound("not_found", "None of your projects has this agent."))
