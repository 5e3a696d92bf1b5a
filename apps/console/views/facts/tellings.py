"""To whom a fact was told, as far as the reader may know."""

from dataclasses import dataclass

from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.console.views.facts.shown import Shown
from apps.console.views.facts.state import ListState
from apps.recall.queries import Served, Telling


@dataclass(frozen=True)
class ToldTo:
    """One line of the section. ``users`` says whom the reads named, where it may not say who."""

    telling: Telling
    agent_href: str
    user_href: str
    users: str


@dataclass(frozen=True)
class Tellings:
    """What templates/console/facts/_tellings.html shows. ``served`` is None for a fact that no read told;
    ``at_least``: there is more than was added up."""

    served: Served | None
    lines: list[ToldTo]
    more: int
    by_user: bool
    at_least: bool


def tellings_of(request: ConsoleRequest, shown: Shown) -> Tellings:
    """Agents, keys and users with their reads. Who a user is counts as personal data: a reader who may not see that
    gets the number of them."""
    project, by_user = request.project, allowed(request.actor, "facts.read_personal")
    may_open = allowed(request.actor, "agents.read")
    lines = [
        ToldTo(
            telling=one,
            agent_href=reverse("agent", args=[project.slug, one.agent_id]) if one.agent and may_open else "",
            user_href=ListState(scope="user", scope_id=one.user).url(project.slug) if one.user else "",
            users=_users(one.users),
        )
        for one in shown.tellings
    ]
    return Tellings(shown.served, lines, shown.telling_lines - len(lines), by_user, shown.more_servings)


def _users(number: int) -> str:
    return "no user" if not number else "1 user" if number == 1 else f"{number:,} users"
