"""What every page of the console shows around its content."""

from decimal import Decimal
from typing import Any, cast
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.models import User
from apps.access.policies import allowed
from apps.access.queries import actor_for_user, projects_of
from apps.console.frame import Frame, frame
from apps.console.hx import ConsoleRequest
from apps.console.masking import mask_state
from apps.tenancy.models import Project

# title, [(url name, label, icon, key, verb that opens it)]
NAVIGATION = [
    (
        "",
        [
            ("project", "Overview", "grid", "g o", "overview.read"),
        ],
    ),
    (
        "Memory",
        [
            ("facts", "Facts", "facts", "g f", "facts.read"),
            ("review", "Review", "review", "g r", "proposals.read"),
            ("conflicts", "Conflicts", "conflict", "g c", "proposals.read"),
            ("dreams", "Dream runs", "dream", "g d", "dreams.read"),
            ("subjects", "Subjects", "subjects", "g s", "subjects.read"),
        ],
    ),
    (
        "Evidence",
        [
            ("traces", "Traces", "traces", "g t", "traces.read"),
            ("sessions", "Sessions", "session", "g n", "traces.read"),
            ("agent-view", "Agent view", "eye", "g v", "facts.read"),
            ("time-travel", "Time travel", "clock", "g m", "facts.read"),
        ],
    ),
    (
        "Governance",
        [
            ("agents", "Agents", "agent", "g a", "agents.read"),
            ("privacy", "Privacy", "erase", "g e", "privacy.read"),
            ("audit", "Audit", "audit", "g l", "audit.read_own"),
            ("settings", "Settings", "settings", "g p", "settings.open"),
            ("health", "Health", "health", "g h", "health.read"),
        ],
    ),
]
WAITING = {"review", "conflicts", "dreams"}
"""Pages whose count waits for somebody."""


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: what templates/console/_shell.html shows where somebody is logged in and a project is bound;
    nothing elsewhere."""
    project: Project | None = getattr(request, "project", None)
    actor: Actor | None = getattr(request, "actor", None)
    if project is None or actor is None:
        return {}
    named = {
        "project": {"name": project.name, "slug": project.slug, "href": reverse("project", args=[project.slug])},
        "mask": mask_state(cast(ConsoleRequest, request)),
    }
    # A fragment has no frame around it; a page that htmx loads whole (Back, a boosted link) has.
    htmx = getattr(request, "htmx", None)
    if htmx and not htmx.boosted and not htmx.history_restore_request:
        return named
    found = frame(project.id, actor)
    groups = _navigation(request.path, project, actor, found.counts)
    here = next((item["name"] for group in groups for item in group["items"] if item["current"]), "project")
    return named | {
        **live(project, found),
        "nav": groups,
        "projects": _projects(cast(User, request.user), project, here),
        "go_href": reverse("go", args=[project.slug]),
    }


def live(project: Project, found: Frame, *, said: bool = False) -> dict[str, Any]:
    """What refreshes by itself: ``how_it_goes`` for the foot of the navigation, and ``pulse``, where to ask again. Its address
    says which counts the page shows, so that the next answer can tell what is new, and whether that was announced."""
    state = {}
    if found.level:
        href = reverse("health", args=[project.slug])
        state["how_it_goes"] = {"level": found.level, "text": found.text, "note": _today(found), "href": href}
    known = {name: count for name, count in found.counts.items() if name in WAITING} | ({"said": 1} if said else {})
    return state | {"pulse": f"{reverse('pulse', args=[project.slug])}?{urlencode(known)}"}


def _today(found: Frame) -> str:
    if found.cost is None:
        return ""
    cost = f"{found.cost:.2f}" if found.cost >= Decimal("0.01") else "<0.01"
    return f"{cost}{'+' if found.more else ''} today"


def _is_current(name: str, href: str, path: str) -> bool:
    return path == href or (name != "project" and path.startswith(href + "/"))


def _navigation(path: str, project: Project, actor: Actor, counts: dict[str, int]) -> list[dict[str, Any]]:
    groups = []
    for title, items in NAVIGATION:
        shown = []
        for name, label, icon, key, verb in items:
            if not allowed(actor, verb):
                continue
            href = reverse(name, args=[project.slug])
            shown.append(
                {
                    "name": name,
                    "href": href,
                    "label": label,
                    "icon": icon,
                    "key": key,
                    "count": counts.get(name),
                    "hot": name in WAITING,
                    "current": _is_current(name, href, path),
                }
            )
        if shown:
            groups.append({"title": title, "items": shown})
    return groups


def _projects(user: User, project: Project, here: str) -> list[dict[str, Any]]:
    """The member's projects; each link leads to the page he is on, or where he may not open that one to the first."""
    verbs = {name: verb for _, items in NAVIGATION for name, _, _, _, verb in items}
    found = []
    for other in projects_of(user):
        actor = actor_for_user(user, other)
        name = here if actor and allowed(actor, verbs[here]) else "project"
        found.append({"name": other.name, "href": reverse(name, args=[other.slug]), "current": other.id == project.id})
    return found
