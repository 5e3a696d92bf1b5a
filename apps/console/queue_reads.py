"""What stands around a page of the review queue, read at once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils.dateparse import parse_datetime

from apps.access.policies import POLICIES
from apps.console.masking import hides
from apps.core.sqlfiles import load
from apps.curation.models import OPEN_STATES, Proposal


@dataclass(frozen=True)
class Named:
    """A fact that a proposal names; its words are empty where the reader may not see them or they are masked."""

    id: int
    content: str
    is_current: bool


@dataclass(frozen=True)
class Quoted:
    """The first words a proposal rests on, with what was said around them. ``text`` is null where the message is gone,
    ``start`` and ``end`` are places in it; ``whole``: it begins where the message does."""

    quote: str
    text: str | None
    start: int
    end: int
    whole: bool
    role: str | None


@dataclass(frozen=True)
class FromTrace:
    """A trace as a heading needs it, and how many of its proposals are decided."""

    agent: str
    at: datetime | None
    subject: str
    decided: int
    total: int


@dataclass
class Around:
    """Everything by key: a proposal's id, a trace's, a user's, or a state. ``deciders`` may be given
    proposals; ``agents`` are names, the first hundred."""

    quotes: dict[str, Quoted] = field(default_factory=dict)
    named: dict[str, list[Named]] = field(default_factory=dict)
    traces: dict[str, FromTrace] = field(default_factory=dict)
    users: dict[int, str] = field(default_factory=dict)
    deciders: list[int] = field(default_factory=list)
    agents: dict[str, str] = field(default_factory=dict)
    today: dict[str, int] = field(default_factory=dict)
    listed: int = 0


def around(
    project_id: int,
    proposals: Sequence[Proposal],
    *,
    seen: tuple[str, ...],
    midnight: datetime,
    state: str = "",
    since: datetime | None = None,
    traces: bool = False,
    trace_id: str = "",
) -> Around:
    """In one statement. ``traces`` asks for those that the proposals are from. ``state`` asks for the count of decided proposals of that state, decided since ``since`` if
    that is given, at most 1,001; ``trace_id`` for a trace that no proposal of the page may be from."""
    decisions = ["applied", "rejected", "conflicted"]
    given: dict[str, Any] = {
        "project": project_id,
        "ids": [proposal.id for proposal in proposals],
        # A new statement without a flag names no fact.
        "naming": [proposal.id for proposal in proposals if proposal.op != "add" or proposal.flags],
        "traces": sorted({trace_id, *(one.source_trace_id or "" for one in proposals if traces)} - {""}),
        "users": sorted(_people(proposals)),
        "roles": sorted(POLICIES["proposals.approve"].roles),
        "open": OPEN_STATES,
        "seen": list(seen),
        "shown": [one for one in seen if not hides(one)],
        "midnight": midnight,
        "decisions": decisions,
        "state": state,
        "since": since,
    }
    found = Around()
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "queue_around"), given)
        rows = [(kind, key, json.loads(document)) for kind, key, document in cursor.fetchall()]
    for kind, key, document in sorted(rows, key=lambda row: (row[0], row[2]["order"] if row[0] == "fact" else 0)):
        _take(found, kind, key, document)
    return found


def _take(found: Around, kind: str, key: str, document: Any) -> None:
    match kind:
        case "quote":
            found.quotes[key] = Quoted(**document)
        case "fact":
            named = Named(document["id"], document["content"], document["current"])
            found.named.setdefault(key, []).append(named)
        case "trace":
            at = parse_datetime(document["at"]) if document["at"] else None
            decided, total = document["decided"], document["total"]
            found.traces[key] = FromTrace(document["agent"], at, document["subject"] or "", decided, total)
        case "user":
            found.users[int(key)] = document["name"]
            if document["decides"]:
                found.deciders.append(int(key))
        case "agent":
            found.agents[key] = document
        case "today":
            found.today[key] = document
        case "listed":
            found.listed = document


def _people(proposals: Sequence[Proposal]) -> set[int]:
    people = {proposal.assignee for proposal in proposals if proposal.assignee is not None}
    for proposal in proposals:
        kind, _, number = proposal.reviewer.partition(":")
        if kind == "user" and number.isdecimal():
            people.add(int(number))
    return people
