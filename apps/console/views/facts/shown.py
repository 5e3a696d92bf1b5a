"""Everything about one fact, read in one statement (apps/console/sql/fact_shown.sql)."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.urls import reverse

from apps.access.policies import allowed
from apps.audit.models import AuditEvent
from apps.console.hx import ConsoleRequest, visible_sensitivities
from apps.console.made import made
from apps.console.masking import MASKED, hides
from apps.console.names import with_unknown
from apps.core.sqlfiles import load
from apps.facts.models import Fact, FactSource
from apps.recall.queries import Served, Telling
from apps.tenancy.models import Agent
from apps.traces.models import Message

VERSIONS = 31
"""Versions read, the newest ones."""
CHAIN = 32
"""So many versions are counted; of more, "32+" is said."""
ACTS = 200
SOURCES = 15
MESSAGES = 6
SERVINGS = 201
"""Rows of who was told what how often that are added up; more than two hundred are said to be more."""
LINES = 20
TURN = 240
"""Code points of the turns around a quoted one."""
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Around:
    """A turn before or after the quoted message."""

    role: str
    text: str
    after: bool


@dataclass(frozen=True)
class Related:
    """A fact this one was made of, or was made into; ``content`` is empty where the reader may not see it."""

    id: int
    content: str
    href: str


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What was read. ``versions`` oldest first, of ``version_count``, which is at most CHAIN; ``names`` by `Actor.name`; ``more_servings``: the
    tellings are of the first two hundred rows alone."""

    fact: Fact
    versions: list[Fact]
    version_count: int
    acts: list[AuditEvent]
    names: dict[str, str]
    sources: list[FactSource]
    messages: dict[int, Message]
    around: list[Around]
    served: Served | None
    tellings: list[Telling]
    telling_lines: int
    more_servings: bool
    made_of: list[Related]
    made_into: list[Related]

    def left_out(self, shown: int) -> str:
        """How many versions there are beyond so many, "10+" where nobody counted them all; "" for none."""
        left = self.version_count - shown
        return f"{left}{'+' * (self.version_count == CHAIN)}" if left > 0 else ""


def shown_fact(request: ConsoleRequest, fact_id: int) -> Shown | None:
    """None where there is no such fact, the reader may not see it, or it is being erased: all look the same."""
    if fact_id > LARGEST:
        return None
    actor, visible = request.actor, visible_sensitivities(request.actor)
    asked: dict[str, Any] = {
        "project": request.project.id,
        "fact": fact_id,
        "visible": list(visible),
        "versions": VERSIONS,
        "chain": CHAIN,
        "acts": ACTS,
        "quotes": SOURCES if allowed(actor, "traces.read") else 0,
        "messages": MESSAGES,
        "by_user": allowed(actor, "facts.read_personal"),
        "servings": SERVINGS,
        "lines": LINES,
        "turn": TURN,
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "fact_shown"), asked)
        row = cursor.fetchone()
    if row is None:
        return None
    found: dict[str, Any] = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    fact = made(Fact, found["fact"])
    if fact.restricted_reason == "erasure":
        return None
    if found["agent"] is not None:
        fact.agent = Agent(id=fact.agent_id, project_id=fact.project_id, name=found["agent"])
    tellings = [_telling(line) for line in found["tellings"]]
    served = found["served"]
    versions, acts = [made(Fact, one) for one in found["versions"]], [made(AuditEvent, one) for one in found["acts"]]
    refs = {one.approved_by for one in versions} | {f"{act.actor_kind}:{act.actor_id}" for act in acts}
    return Shown(
        fact=fact,
        versions=versions,
        version_count=found["version_count"],
        acts=acts,
        names=with_unknown(refs - {""}, found["users"] | found["keys"], actor),
        sources=[made(FactSource, source) for source in found["sources"]],
        messages={message["id"]: made(Message, message) for message in found["messages"]},
        around=[Around(turn["role"], turn["text"], turn["after"]) for turn in found["around"]],
        served=Served(served["reads"], datetime.fromisoformat(served["last_at"])) if served else None,
        tellings=tellings,
        telling_lines=found["tellings"][0]["lines"] if tellings else 0,
        more_servings=found["servings"] == SERVINGS,
        made_of=[_related(request, one, visible) for one in found["made_of"]],
        made_into=[_related(request, one, visible) for one in found["made_into"]],
    )


def _telling(line: dict[str, Any]) -> Telling:
    return Telling(
        agent_id=UUID(line["agent_id"]) if line["agent_id"] else None,
        agent=line["agent"] or "",
        key=line["key"] or "",
        user=line["user"] or "",
        users=line["users"],
        reads=line["reads"],
        first_at=datetime.fromisoformat(line["first_at"]),
        last_at=datetime.fromisoformat(line["last_at"]),
    )


def _related(request: ConsoleRequest, one: list[Any], visible: tuple[str, ...]) -> Related:
    fact_id, content, sensitivity = one
    href = reverse("fact", args=[request.project.slug, fact_id])
    words = MASKED if hides(sensitivity) else content
    return Related(fact_id, words if sensitivity in visible else "", href)
