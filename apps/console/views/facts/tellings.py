"""To whom a fact was told, as far as the reader may know."""

from dataclasses import dataclass

from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.console.views.facts.state import ListState
from apps.facts.models import Fact
from apps.recall.queries import Served, Telling, served_counts, who_was_told

MOST = 20


@dataclass(frozen=True)
class ToldTo:
    """One line of the section. ``users`` says whom the reads named, where it may not say who."""

    telling: Telling
    agent_href: str
    user_href: str
    users: str


@dataclass(frozen=True)
class Tellings:
    """What templates/console/facts/_tellings.html shows. ``served`` is None for a fact that no read told."""

    served: Served | None
    lines: list[ToldTo]
    more: int
    by_user: bool


def tellings_of(request: ConsoleRequest, fact: Fact) -> Tellings:
    """Agents, keys and users with their reads. Who a user is counts as personal data: a reader who may not see that
    gets the number of them."""
    project, by_user = request.project, allowed(request.actor, "facts.read_personal")
    may_open = allowed(request.actor, "agents.read")
    found, more = who_was_told(project.id, fact.id, by_user=by_user, most=MOST)
    lines = [
        ToldTo(
            telling=one,
            agent_href=reverse("agent", args=[project.slug, one.agent_id]) if one.agent and may_open else "",
            user_href=ListState(scope="user", scope_id=one.user).url(project.slug) if one.user else "",
            users=_users(one.users),
        )
        for one in found
    ]
    return Tellings(served_counts(project.id, [fact.id]).get(fact.id), lines, more, by_user)


def _users(number: int) -> str:
    return "no user" if not number else "1 user" if number == 1 else f"{number:,} users"
