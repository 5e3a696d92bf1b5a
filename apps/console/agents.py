"""Reads for the pages about agents: what they are told, how often they read, who registered them, and with which keys."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import DateTimeField, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from apps.access.models import ApiKey
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.facts.models import Fact
from apps.recall.models import AgentDay
from apps.tenancy.models import Agent, AgentVersion, ClientInstance, Project

TOLD = 50
OWN = 50
"""An agent's own facts are counted so far in the list; "50+" is said then."""
WEEK, LISTED_WEEK = 1_000, 100
"""The same of its traces of a week, on its page and in the list."""
LISTED_DAYS, SHOWN_DAYS = 14, 56
MACHINES = 20
VERSIONS = 50


def agents_called(project: Project, words: str) -> "QuerySet[Agent]":
    """Agents that have this in their name, all for an empty one; in no order yet."""
    agents = Agent.objects.filter(project_id=project.id)
    return agents.filter(name__icontains=words) if words else agents


@dataclass(frozen=True)
class Shown:
    """What a row of the list says, as of a minute or two ago: ``told`` are its own facts that are told, up to OWN and one
    more, ``traces`` those of a week up to LISTED_WEEK and one more, ``reads`` by day."""

    told: int
    traces: int
    reads: dict[date, int]
    last_read_at: datetime | None


def agents_shown(project_id: int, agent_ids: Iterable[UUID]) -> dict[UUID, Shown]:
    """By agent. One statement, or none."""
    asked: dict[str, Any] = {
        "project": project_id,
        "agents": list(agent_ids),
        "own": OWN + 1,
        "week": LISTED_WEEK + 1,
        "days": LISTED_DAYS,
    }
    if not asked["agents"]:
        return {}
    first = today() - timedelta(days=LISTED_DAYS)
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "agents_shown"), asked)
        for agent_id, told, traces, days in cursor.fetchall():
            rows = json.loads(days) if isinstance(days, str) else days
            reads = {day: n for text, n, _ in rows if (day := date.fromisoformat(text)) > first}
            last = datetime.fromisoformat(rows[0][2]) if rows else None
            found[agent_id] = Shown(told, traces, reads, last)
    return found


def agent_rows(project: Project) -> "QuerySet[Agent]":
    """Agents with ``last_read_at`` as of a minute or two ago, and ``week_traces`` up to 1,001, in no order yet."""
    agents = Agent.objects.filter(project_id=project.id)
    days = AgentDay.objects.filter(project_id=project.id, agent_id=OuterRef("id")).order_by("-day")
    # What the ORM can't say: a count that stops. The text is ours, and what is put in goes as parameters.
    week = (
        "SELECT count(*) FROM (SELECT FROM traces_trace t WHERE t.project_id = %s AND t.agent_name = tenancy_agent.name"
        " AND t.started_at >= now() - interval '7 days' LIMIT %s) t"
    )
    return agents.annotate(
        week_traces=RawSQL(week, (project.id, WEEK + 1), output_field=IntegerField()),  # noqa: S611
        last_read_at=Subquery(days.values("last_at")[:1], output_field=DateTimeField(null=True)),
    )


@dataclass(frozen=True)
class Told:
    """The first facts a read that names the agent and no user is told. ``more``: there are others beyond; ``hidden``
    counts those of the first fifty that the reader may not see."""

    facts: list[Fact]
    more: bool
    hidden: int


def told_now(project: Project, agent: Agent, sensitivities: tuple[str, ...]) -> Told:
    """Its own and the project's, as the hot read orders them, each walked in its own index. The key that asks may narrow
    it further."""
    facts = Fact.objects.in_project(project.id).current().active().filter(label="").order_by("-importance", "-id")
    own = facts.filter(scope="agent", scope_id=agent.name, agent_id=agent.id)[: TOLD + 1]
    shared = facts.filter(scope="project", scope_id=project.slug, agent_id=None)[: TOLD + 1]
    both = sorted([*own, *shared], key=lambda fact: (-fact.importance, -fact.id))
    first = both[:TOLD]
    seen = [fact for fact in first if fact.sensitivity in sensitivities]
    return Told(seen, len(both) > TOLD, len(first) - len(seen))


def days_of(project_id: int, agent_ids: Iterable[UUID], days: int) -> dict[UUID, list[AgentDay]]:
    """The days on which each read, of the last ``days``, oldest first. As of a minute or two ago."""
    rows = AgentDay.objects.filter(
        project_id=project_id, agent_id__in=list(agent_ids), day__gt=today() - timedelta(days=days)
    )
    found: dict[UUID, list[AgentDay]] = {}
    for row in rows.order_by("day"):
        found.setdefault(row.agent_id, []).append(row)
    return found


def today() -> date:
    """By which the ledger's days are counted: UTC."""
    return now().date()


def registrations(project_id: int, agent_id: UUID) -> list[AuditEvent]:
    """The first registration and the last ones that changed something, newest first."""
    events = AuditEvent.objects.filter(
        project_id=project_id, object_type="agent", object_id=str(agent_id), verb="agents.register", result="done"
    )
    return list(events.order_by("-seq")[:20])


def versions_of(project_id: int, agent_id: UUID) -> list[AgentVersion]:
    """How it registered itself over time, newest first: every version that is kept."""
    rows = AgentVersion.objects.filter(project_id=project_id, agent_id=agent_id)
    return list(rows.order_by("-version")[:VERSIONS])


def keys_for(project_id: int, agent_id: UUID) -> list[ApiKey]:
    """Keys in force that may read facts as this agent, by name."""
    keys = ApiKey.objects.filter(
        Q(agents=None) | Q(agents__contains=[agent_id]),
        project_id=project_id,
        scopes__contains=["facts:read"],
        revoked_at=None,
        expires_at__gt=now(),
    )
    return list(keys.order_by("name", "id")[:50])


def machines(project_id: int, agent: Agent) -> list[dict[str, Any]]:
    """Machines whose SDK enrolled in the project, the last seen first; ``names_it`` are those that named this agent."""
    rows = ClientInstance.objects.filter(project_id=project_id).order_by("-last_seen_at", "-id")[:MACHINES]
    wanted = {str(agent.id), agent.id.hex, agent.name}
    return [{"instance": row, "names_it": bool(wanted & set(row.governed_agent_ids))} for row in rows]
