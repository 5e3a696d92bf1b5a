"""Finding anything of a project by what somebody types: a page, a user, a fact, an agent, a trace.

Each kind is one statement and a few rows, of what the reader may open.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db import connection
from django.db.models import Q
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.context import NAVIGATION
from apps.console.hx import visible_sensitivities
from apps.core.sqlfiles import load
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from apps.traces.models import Trace

MOST = 6
"""Rows of each kind."""
LEAST_HEX = 4
"""Digits from which on something may be the beginning of a trace's id."""
BIGGEST = 2**63


@dataclass(frozen=True)
class Hit:
    """Where something is. ``exact``: what was typed is its name and no other's."""

    href: str
    label: str
    icon: str
    detail: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Found:
    """Groups of hits with their titles; ``goal`` is where Enter leads, empty where it is not clear."""

    groups: list[tuple[str, list[Hit]]] = field(default_factory=list)

    @property
    def hits(self) -> list[Hit]:
        return [hit for _, hits in self.groups for hit in hits]

    @property
    def goal(self) -> str:
        exact = [hit.href for hit in self.hits if hit.exact]
        if exact:
            return exact[0]
        return self.hits[0].href if len(self.hits) == 1 else ""


def find(project: Project, actor: Actor, words: str) -> Found:
    """What ``words`` may mean, in at most four statements; only the pages for no words."""
    groups = [("Pages", _pages(project, actor, words))]
    if words:
        if allowed(actor, "facts.read"):
            groups += [("Users", _users(project, words)), ("Facts", _facts(project, actor, words))]
        if allowed(actor, "agents.read"):
            groups.append(("Agents", _agents(project, words)))
        if allowed(actor, "traces.read"):
            groups.append(("Traces", _traces(project, words)))
    return Found([(title, hits) for title, hits in groups if hits])


def _pages(project: Project, actor: Actor, words: str) -> list[Hit]:
    return [
        Hit(reverse(name, args=[project.slug]), label, icon, key, exact=label.casefold() == words.casefold())
        for _, items in NAVIGATION
        for name, label, icon, key, verb in items
        if allowed(actor, verb) and words.casefold() in label.casefold()
    ]


def _users(project: Project, words: str) -> list[Hit]:
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "find_subjects"), {"project": project.id, "words": words, "most": MOST})
        rows = cursor.fetchall()
    facts = reverse("facts", args=[project.slug])
    return [
        Hit(
            f"{facts}?{urlencode({'scope': 'user', 'scope_id': external_id})}",
            external_id,
            "user",
            f"also {name}" if name != external_id else "",
            exact,
        )
        for _, external_id, name, exact in rows
    ]


def _facts(project: Project, actor: Actor, words: str) -> list[Hit]:
    facts = Fact.objects.in_project(project.id).filter(sensitivity__in=visible_sensitivities(actor))
    number = re.fullmatch(r"#?([0-9]{1,19})", words)
    if number and int(number[1]) < BIGGEST:
        facts = facts.filter(id=int(number[1]))
    elif number or len(words) < 3:
        return []
    else:
        facts = facts.current().saying(words)
    return [
        Hit(reverse("fact", args=[project.slug, fact_id]), content, "facts", f"#{fact_id}", exact=number is not None)
        for fact_id, content in facts.order_by("-id").values_list("id", "content")[:MOST]
    ]


def _agents(project: Project, words: str) -> list[Hit]:
    agents = Agent.objects.filter(Q(name__icontains=words), project_id=project.id).order_by("name")
    return [
        Hit(reverse("agent", args=[project.slug, agent_id]), name, "agent", exact=name == words)
        for agent_id, name in agents.values_list("id", "name")[:MOST]
    ]


def _traces(project: Project, words: str) -> list[Hit]:
    typed = words.lower()
    if not re.fullmatch(rf"[0-9a-f]{{{LEAST_HEX},32}}", typed):
        return []
    # A range, which an index finds under every collation: no hex digit comes after "f".
    traces = Trace.objects.filter(project_id=project.id, trace_id__gte=typed, trace_id__lt=typed + "g")
    return [
        Hit(reverse("trace", args=[project.slug, trace_id]), trace_id, "traces", agent, exact=trace_id == typed)
        for trace_id, agent in traces.order_by("trace_id").values_list("trace_id", "agent_name")[:MOST]
    ]
