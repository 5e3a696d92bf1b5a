"""The hot read, what the ledger says, and which facts are near a text."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db import connection
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Sum

from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.prepared import OneValue, first_row
from apps.core.text import normalise, storable
from apps.core.transactions import bind, bound_by_database
from apps.facts.models import Fact
from apps.recall.models import WEIGHTS, FactServing, FactTold, ReadLedger
from apps.recall.question import NOTHING, Question
from apps.recall.weights import Weights
from apps.tenancy.models import Agent

READ = (
    "SELECT convert_to(serve_facts(%s, %s, %s, %s, %s::uuid[], %s::text[], %s::text[], %s::text[], %s, %s, %s, %s, %s, %s, %s::text[],"
    " %s::bigint[], %s::tstzrange[], %s, %s::halfvec, %s, %s, %s::text[]), 'UTF8')"
)
# Where nothing is asked and nothing explained, as in most reads: what isn't sent costs nothing.
READ_FLAT = OneValue(
    "serve_flat",
    "SELECT serve_flat(%s::bigint, %s::bigint, %s::text, %s::text, %s::uuid[], %s::text[], %s::text[], %s::text[],"
    " %s::timestamptz, %s::text, %s::text, NULL, %s::int)",
)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who asks for facts and what he may be told. ``key`` is null for a person, whose look is not recorded; None for
    ``agents``, ``categories`` or ``memory_types`` allows all, an empty list none; ``since`` leaves out older facts. Facts
    kept for purposes or task types are told to a reader who names one of them. ``at`` is an earlier moment."""

    project_id: int
    key_id: int | None
    agent: str
    user: str | None = None
    agents: list[UUID] | None = None
    sensitivities: list[str]
    categories: list[str] | None = None
    memory_types: list[str] | None = None
    since: datetime | None = None
    purpose: str = ""
    task_type: str | None = None
    at: datetime | None = None


def reader_for(
    key: ApiKey,
    agent: str,
    user: str | None,
    category: str | None,
    purpose: str = "",
    *,
    memory_type: str | None = None,
    since: datetime | None = None,
    task_type: str | None = None,
    at: datetime | None = None,
) -> Reader:
    """The key's grants, narrowed by what is asked."""
    categories = key.categories
    if category is not None:
        categories = [category] if categories is None or category in categories else []
    return Reader(
        project_id=key.project_id,
        key_id=key.id,
        agent=agent,
        user=user,
        agents=key.agents,
        sensitivities=key.allowed_sensitivities,
        categories=categories,
        memory_types=[memory_type] if memory_type is not None else None,
        since=since,
        purpose=purpose,
        task_type=task_type,
        at=at,
    )


def told_facts(
    reader: Reader,
    question: Question = NOTHING,
    *,
    limit: int,
    threshold: float = 0.0,
    explained_to: Sequence[str] | None = None,
) -> bytes | None:
    """The JSON an agent gets, ``{"facts": […]}``, or None when the project has no such agent for this reader.

    One statement, which also writes the ledger row: what can't be recorded is not told. Without a question, importance
    orders. ``threshold`` is the least similarity, -1..1, where the question has a vector. ``explained_to`` names the
    sensitivities somebody may know of and adds ``explain``: every candidate with its parts, rank and verdict, and what
    was left out and why ("Explain" in docs/recall.md). Database errors pass through.
    """
    agent = storable(reader.agent)[0]
    user = storable(reader.user)[0].strip() if reader.user is not None else None
    categories = [storable(category)[0] for category in reader.categories] if reader.categories is not None else None
    if question is NOTHING and explained_to is None and reader.at is None:
        flat = READ_FLAT.get(
            [
                b"%d" % reader.project_id,
                b"%d" % reader.key_id if reader.key_id is not None else None,
                agent.encode(),
                user.encode() if user is not None else None,
                _array(reader.agents),
                _array(reader.sensitivities),
                _array(categories),
                _array(reader.memory_types),
                reader.since.isoformat().encode() if reader.since is not None else None,
                reader.purpose.encode(),
                reader.task_type.encode() if reader.task_type is not None else None,
                b"%d" % limit,
            ]
        )
        bound_by_database(reader.project_id)
        return flat
    (answer,) = first_row(
        READ,
        [
            reader.project_id,
            reader.key_id,
            agent,
            user,
            reader.agents,
            reader.sensitivities,
            categories,
            reader.memory_types,
            reader.since,
            reader.purpose,
            reader.task_type,
            reader.at,
            limit,
            question.text or None,
            question.pieces,
            question.named,
            [f"[{begin.isoformat()},{end.isoformat()})" for begin, end in question.dates],
            query_digest(reader.project_id, question.text) if question.text else None,
            str(question.vector) if question.vector is not None else None,
            question.model or None,
            threshold,
            list(explained_to) if explained_to is not None else None,
        ],
    )
    bound_by_database(reader.project_id)
    if answer is None:
        return None
    told: bytes = answer
    if question.degraded:
        told = told[:-1] + f',"degraded":"{question.degraded}"}}'.encode()
    return told


def for_purposes(project_id: int, answer: bytes, purposes: Sequence[str]) -> bytes:
    """An explained answer of `told_facts` for a key that is kept to ``purposes``: what it left out names no fact that is kept
    for others alone."""
    document = orjson.loads(answer)
    rows = document["explain"]["left_out"]
    named = {row[name] for row in rows for name in ("id", "successor")} - {None}
    with bind(project_id):
        kept = Fact.objects.in_project(project_id).filter(id__in=named).exclude(purposes=None)
        beyond = set(kept.exclude(purposes__overlap=list(purposes)).values_list("id", flat=True))
    left = [row for row in rows if row["id"] not in beyond]
    for row in left:
        row["successor"] = None if row["successor"] in beyond else row["successor"]
    document["explain"]["left_out"] = left
    return orjson.dumps(document)


def _array(values: Sequence[object] | None) -> bytes | None:
    """As Postgres writes an array."""
    if values is None:
        return None
    return (
        "{" + ",".join('"' + str(one).replace("\\", r"\\").replace('"', r"\"") + '"' for one in values) + "}"
    ).encode()


def query_digest(project_id: int, query: str) -> bytes:
    """16 bytes that tell equal questions of one project apart from others; the text itself is not kept."""
    return hashlib.blake2b(f"{project_id}:{normalise(query)}".encode(), digest_size=16).digest()


def reads_between(project_id: int, agent_id: UUID, start: datetime, end: datetime) -> list[ReadLedger]:
    """The reads for an agent in a stretch of time, oldest first, at most 50. A read names no trace: it is joined to
    one by agent and time alone."""
    return list(
        ReadLedger.objects.filter(project_id=project_id, agent_id=agent_id, at__gte=start, at__lte=end).order_by("at")[
            :50
        ]
    )


@dataclass(frozen=True)
class Served:
    """In how many reads a fact was told, and when last."""

    reads: int
    last_at: datetime


@dataclass(frozen=True)
class Telling:
    """One agent and key that a fact was told to, in ``reads`` reads; no agent where a key listed facts.

    ``agent`` and ``key`` are names, empty for one that is gone. ``user`` is the one that the reads named, empty for
    none; where users are not told apart it is empty too, and ``users`` counts them.
    """

    agent_id: UUID | None
    agent: str
    key: str
    user: str
    users: int
    reads: int
    first_at: datetime
    last_at: datetime


def served_counts(project_id: int, fact_ids: list[int]) -> dict[int, Served]:
    """By fact, reads of agents alone: a back end that lists facts to copy them tells nobody. One that was never told is
    not in it. As of a minute or two ago."""
    return served_of(served_rows(project_id, fact_ids))


def served_of(rows: Iterable[Mapping[str, Any]]) -> dict[int, Served]:
    """By fact, from the rows of `served_rows` or their JSON."""
    return {
        row["fact_id"]: Served(row["n"], at if isinstance(at := row["last"], datetime) else datetime.fromisoformat(at))
        for row in rows
    }


def served_rows(project_id: int, fact_ids: list[int]) -> "QuerySet[FactTold, Any]":
    """The rows of `served_counts`, as a statement that can be sent with others: fact_id, n, last."""
    told = FactTold.objects.filter(project_id=project_id, fact_id__in=fact_ids)
    return told.values("fact_id", n=F("reads"), last=F("last_at")).order_by()


def never_served(project_id: int, within: tuple[int, int] | None = None) -> Q:
    """Of facts: that no agent's read told them, as of a minute or two ago. Each version counts alone. ``within``: of facts
    from one number to another, whose counts lie together and are read at once."""
    return ~_told(FactTold.objects.filter(project_id=project_id), within)


def told_within(project_id: int, days: int, within: tuple[int, int] | None = None) -> Q:
    """Of facts: that an agent's read told them in the last ``days``, as of a minute or two ago; ``within`` as above."""
    since = now() - timedelta(days=days)
    return _told(FactTold.objects.filter(project_id=project_id, last_at__gte=since), within)


def _told(told: "QuerySet[FactTold]", within: tuple[int, int] | None) -> Q:
    if within is None:
        return Q(Exists(told.filter(fact_id=OuterRef("id"))))
    return Q(id__in=told.filter(fact_id__gte=within[0], fact_id__lte=within[1]).values("fact_id"))


def who_was_told(project_id: int, fact_id: int, *, by_user: bool = True, most: int = 20) -> tuple[list[Telling], int]:
    """The agents, keys and, with ``by_user``, users that a fact was told to, most reads first, and how many more there
    are than are given. As of a minute or two ago."""
    group = ["agent_id", "key_id"] + (["subject_id", "subject__external_id"] if by_user else [])
    rows: QuerySet[FactServing, dict[str, Any]] = (
        FactServing.objects.filter(project_id=project_id, fact_id=fact_id)
        .values(*group)
        .annotate(n=Sum("reads"), first=Min("first_at"), last=Max("last_at"), users=Count("subject_id", distinct=True))
        .order_by("-n", "-last", *group)
    )
    shown = list(rows[:most])
    left_out = rows.count() - most if len(shown) == most else 0
    agents = dict(
        Agent.objects.filter(project_id=project_id, id__in={row["agent_id"] for row in shown}).values_list("id", "name")
    )
    keys = dict(
        ApiKey.objects.filter(project_id=project_id, id__in={row["key_id"] for row in shown}).values_list("id", "name")
    )
    tellings = [
        Telling(
            agent_id=row["agent_id"],
            agent=agents.get(row["agent_id"], ""),
            key=keys.get(row["key_id"], ""),
            user=row.get("subject__external_id") or "",
            users=row["users"],
            reads=row["n"],
            first_at=row["first"],
            last_at=row["last"],
        )
        for row in shown
    ]
    return tellings, left_out


def weights_of(project_id: int) -> Weights:
    """How the project ranks now: its own weights, or the defaults where it has none. The caller has bound it."""
    return _weights(project_id)


def default_weights() -> Weights:
    """What holds for a project without a row of its own."""
    return _weights(None)


def _weights(project_id: int | None) -> Weights:
    # SQL says the defaults, because the read asks it on each question.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(WEIGHTS)}, half_life_days, language FROM recall_weights(%s)", [project_id])  # noqa: S608 (names of columns, from the code)
        *parts, half_life_days, language = cursor.fetchone()
    return Weights(parts=dict(zip(WEIGHTS, parts, strict=True)), half_life_days=half_life_days, language=language)
