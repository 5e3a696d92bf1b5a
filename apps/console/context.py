"""What every page of the console shows around its content."""

from decimal import Decimal
from typing import Any, cast

from django.http import HttpRequest
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.policies import allowed
from apps.access.queries import projects_of
from apps.console.frame import Frame, frame
from apps.tenancy.models import Project

# title, [(url name, label, icon, key, verb that opens it)]
NAVIGATION = [
    (
        "Memory",
        [
            ("facts", "Facts", "facts", "g f", "facts.read"),
            ("review", "Review", "review", "g r", "proposals.read"),
        ],
    ),
    (
        "Evidence",
        [
            ("traces", "Traces", "traces", "g t", "traces.read"),
            ("agent-view", "Agent view", "eye", "g v", "facts.read"),
            ("time-travel", "Time travel", "clock", "g m", "facts.read"),
        ],
    ),
    (
        "Governance",
        [
            ("agents", "Agents", "agent", "g a", "agents.read"),
            ("settings", "Settings", "settings", "g o", "settings.open"),
            ("health", "Health", "health", "g h", "health.read"),
        ],
    ),
]


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: ``nav``, ``state``, ``project`` and ``projects`` of templates/console/_shell.html, where somebody is
    logged in and a project is bound; nothing elsewhere."""
    project: Project | None = getattr(request, "project", None)
    actor: Actor | None = getattr(request, "actor", None)
    if project is None or actor is None:
        return {}
    named = {"project": {"name": project.name, "slug": project.slug, "href": reverse("project", args=[project.slug])}}
    # A fragment has no frame around it; a page that htmx loads whole (Back, a boosted link) has.
    htmx = getattr(request, "htmx", None)
    if htmx and not htmx.boosted and not htmx.history_restore_request:
        return named
    found = frame(project.id, actor)
    state = {}
    if found.level:
        state["state"] = {
            "level": found.level,
            "text": found.text,
            "note": _today(found),
            "href": reverse("health", args=[project.slug]),
        }
    return named | {
        **state,
        "nav": _navigation(request, project, actor, found.counts),
        "projects": [
            {"name": other.name, "href": reverse("project", args=[other.slug]), "current": other.id == project.id}
            for other in projects_of(cast(User, request.user))
        ],
    }


def _today(found: Frame) -> str:
    if found.cost is None:
        return ""
    cost = f"{found.cost:.2f}" if found.cost >= Decimal("0.01") else "<0.01"
    return f"{cost}{'+' if found.more else ''} today"


def _navigation(request: HttpRequest, project: Project, actor: Actor, counts: dict[str, int]) -> list[dict[str, Any]]:
    groups = []
    for title, items in NAVIGATION:
        shown = []
        for name, label, icon, key, verb in items:
            if not allowed(actor, verb):
                continue
            href = reverse(name, args=[project.slug])
            shown.append(
                {
                    "href": href,
                    "label": label,
                    "icon": icon,
                    "key": key,
                    "count": counts.get(name),
                    "hot": name == "review",
                    "current": request.path == href or request.path.startswith(href + "/"),
                }
            )
        if shown:
            groups.append({"title": title, "items": shown})
    return groups
