"""Lists of facts for holders of keys: the same permission as the hot read, in pages, and what was withdrawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Expression, Q

from apps.access.models import SENSITIVITIES
from apps.core.clock import seconds
from apps.core.errors import NotFound
from apps.core.keyset import Page, decode_cursor, encode_cursor, keyset_page
from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.facts.models import SCOPES, Fact
from apps.facts.queries import FactFilter, filtered
from apps.facts.querysets import FactQuerySet, OfRow
from apps.recall.queries import Reader
from apps.tenancy.models import Agent, Subject
from apps.tenancy.queries import find_agent, find_subject

MOST = 10_000
"""Counts go no further."""
OVERLAP = timedelta(minutes=5)
"""How far an epoch lies behind the clock: longer than any transaction that may still commit with an earlier time."""
OPEN_SCOPES = ["agent", "project"]

FIELDS = [
    "id", "content", "scope", "scope_id", "label", "key", "agent_id", "attribute", "category", "memory_type", "confidence", "importance",
    "trust", "sensitivity", "purposes", "task_types", "source", "source_trace_id",
    "observed_at", "approved_at", "updated_at", "expires_at",
    "valid_from", "valid_to", "contested_at", "corroborations", "superseded_by", "superseded_at", "retired_at",
    "restricted_at",
]  # fmt: skip


def epoch() -> str:
    """A moment before which every withdrawal is known to a read that begins now, as RFC 3339 in UTC."""
    return _epoch(int(seconds()))


@lru_cache(maxsize=1)
def _epoch(at: int) -> str:
    return written(datetime.fromtimestamp(at, UTC) - OVERLAP)


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


class Reading(Expression):
    """The reader as a value of SQL's type ``recall_reader``, as far as `fact_permitted` looks at it."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        r = self.reader
        sql = (
            "ROW(%s, NULL, NULL, NULL, NULL, NULL, NULL, %s::text[], %s::text[], %s::text[], %s::timestamptz, %s, %s,"
            " NULL, now(), false)::recall_reader"
        )
        return sql, [r.project_id, r.sensitivities, r.categories, r.memory_types, r.since, r.purpose, r.task_type]


def permitted(facts: FactQuerySet, reader: Reader) -> FactQuerySet:
    """Of these facts what the reader may be told by sensitivity, category, type, age, purpose and task type."""
    return facts.filter(OfRow("fact_permitted", Reading(reader)))


def in_reach(reader: Reader, subject: Subject | None, *, named: bool, everybody: bool = False) -> Q:
    """The scopes a reader may list: those of his agents and the project's; the user's he names; with ``named`` a session
    or another thing that he names by its id; ``everybody``: all of them."""
    agents = Q() if reader.agents is None else Q(agent_id__in=reader.agents) | Q(agent_id=None)
    if everybody:
        return agents
    scopes = Q(scope__in=OPEN_SCOPES)
    if subject is not None:
        scopes |= Q(scope="user", scope_id=subject.external_id)
    if named:
        scopes |= Q(scope__in=["session", "other"])
    return scopes & agents


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A list of facts: exact filters, words, and which versions. ``status`` is "in-force" (what may be told now),
    "current" (also expired, restricted and not yet valid) or "all" (closed versions too). ``label`` is a client's own
    partition; ``everybody``: of every user, session or other thing; ``keyed``: values under a key alone, or none of them;
    ``by_said``: in the order in which they were said, newest first. What ``writer`` wrote itself is no secret to him."""

    filter: FactFilter = field(default_factory=FactFilter)
    agent: str | None = None
    label: str = ""
    everybody: bool = False
    keyed: bool | None = None
    by_said: bool = False
    writer: str = ""
    status: str = "in-force"
    updated_since: datetime | None = None
    max_age_days: int | None = None


@dataclass(frozen=True)
class Listed:
    """``rows`` have FIELDS. ``total`` is at most MOST, None where nobody asked; ``more`` says that there are more."""

    page: Page[dict[str, Any]]
    total: int | None
    more: bool


def list_facts(reader: Reader, wanted: Wanted, *, cursor: str | None, limit: int, count: bool) -> Listed:
    """A page of the facts a reader may know, newest first; with ``updated_since`` in the order of their changes.

    The read goes to the ledger like any other. Raises Malformed `invalid_cursor`: a cursor is good for one filter and
    one reader's grants. NotFound for an agent he may not name.
    """
    with bind(reader.project_id):
        facts, subject, agent = _listed(reader, wanted)
        order = (
            ("updated_at", "id") if wanted.updated_since else ("-observed_at", "-id") if wanted.by_said else ("-id",)
        )
        # The oldest moment moves with the clock; the days it was reckoned from are in `wanted`.
        context = f"facts of {replace(reader, key_id=None, since=None)} {wanted}"
        legs = _legs(facts, reader, wanted) if wanted.by_said and not wanted.updated_since else []
        rows = facts.values(*FIELDS)
        page = keyset_page(
            rows, order=order, cursor=cursor, limit=limit, context=context, any_of=legs, scattered=bool(legs)
        )
        _record(reader, agent, subject, [row["id"] for row in page.rows])
        _veil_successors(reader, subject, page.rows)
        total = facts.order_by()[: MOST + 1].count() if count else None
    return Listed(page, None if total is None else min(total, MOST), total is not None and total > MOST)


def _legs(facts: FactQuerySet, reader: Reader, wanted: Wanted) -> list[FactQuerySet]:
    """Of a list of all open scopes each scope for itself: in the order of what was said there is an index of each, and none of
    several. What is told through an agent is no project's."""
    if wanted.filter.scope or wanted.everybody or reader.user is not None:
        return []
    scopes = [scope for scope in OPEN_SCOPES if scope != "project" or wanted.agent is None]
    return [facts.filter(scope=scope) for scope in scopes]


def _record(reader: Reader, agent: Agent | None, subject: Subject | None, ids: list[int]) -> None:
    with connection.cursor() as db:
        db.execute(
            "SELECT record_read(ROW(%s, %s, %s, NULL, NULL, %s, NULL, NULL, NULL, NULL, NULL, %s, NULL, NULL, now(), false)"
            "::recall_reader, %s::bigint[], array_fill(NULL::float8, ARRAY[%s]))",
            [
                reader.project_id,
                reader.key_id,
                agent.id if agent else None,
                subject.id if subject else None,
                reader.purpose,
                ids,
                len(ids),
            ],
        )


def _veil_successors(reader: Reader, subject: Subject | None, rows: Sequence[dict[str, Any]]) -> None:
    """Name no newer version that the reader may not be told of: that it is there, and how new, is beyond his grants."""
    newer = {row["superseded_by"] for row in rows} - {None}
    if not newer:
        return
    facts = Fact.objects.in_project(reader.project_id).filter(in_reach(reader, subject, named=True), id__in=newer)
    known = set(permitted(facts, reader).values_list("id", flat=True))
    for row in rows:
        if row["superseded_by"] not in known:
            row["superseded_by"] = None


def _listed(reader: Reader, wanted: Wanted) -> tuple[FactQuerySet, Subject | None, Agent | None]:
    """The facts, and whom and which agent they were asked for."""
    project_id, agent = reader.project_id, None
    subject = find_subject(project_id=project_id, external_id=reader.user) if reader.user is not None else None
    if subject is not None and subject.suppressed_at is not None:
        subject = None
    asked = replace(wanted.filter, superseded=wanted.status == "all", sensitivities=tuple(reader.sensitivities))
    facts = filtered(project_id, replace(asked, sensitivities=tuple(SENSITIVITIES))).filter(label=wanted.label)
    facts = (
        facts.filter(Q(OfRow("fact_permitted", Reading(reader))) | Q(approved_by=wanted.writer))
        if wanted.writer
        else (permitted(facts, reader))
    )
    named = bool(asked.scope in {"session", "other"} and asked.scope_id)
    facts = facts.filter(in_reach(reader, subject, named=named, everybody=wanted.everybody))
    if wanted.keyed is not None:
        facts = facts.filter(key__isnull=not wanted.keyed)
    if reader.user is not None:
        # Of everybody's, only what is about the one who is named.
        named_by = {"scope": "user", "scope_id": subject.external_id} if subject else None
        facts = facts.filter(**named_by) if named_by else facts.none()
    if wanted.agent is not None:
        agent = find_agent(project_id=project_id, name_or_id=wanted.agent)
        if agent is None or (reader.agents is not None and agent.id not in reader.agents):
            raise NotFound("not_found", "There is no such agent.")
        facts = facts.filter(agent_id=agent.id)
    if wanted.status == "in-force":
        facts = facts.active()
    if wanted.updated_since is not None:
        facts = facts.filter(updated_at__gte=wanted.updated_since)
    return facts, subject, agent


@dataclass(frozen=True)
class Revocations:
    """``rows`` are (fact id, reason, time), oldest first; ``next`` leads on, and ``epoch`` is where to ask from when all
    were read."""

    rows: list[tuple[int, str, datetime]]
    epoch: str
    next: str | None


def revocations(reader: Reader, since: datetime, *, users_too: bool, cursor: str | None, limit: int) -> Revocations:
    """Facts that a reader may have been told and is not to use any more. Some may be named twice, none is left out.

    Reasons: superseded, retired, held, expired, ended, forgotten, sensitivity. Raises Malformed `invalid_cursor`.
    """
    context = f"revocations {replace(reader, key_id=None)} {since} {users_too}"
    after_at, after_id, then = (
        decode_cursor(cursor, context=context) if cursor is not None else (written(since), 0, epoch())
    )
    with bind(reader.project_id), connection.cursor() as db:
        db.execute(
            load("apps.recall", "revocations"),
            {
                "project": reader.project_id,
                "since": since,
                "sensitivities": reader.sensitivities,
                "categories": reader.categories,
                "agents": reader.agents,
                "scopes": SCOPES if users_too else OPEN_SCOPES,
                "after_at": datetime.fromisoformat(after_at),
                "after_id": after_id,
                "limit": limit + 1,
            },
        )
        rows = db.fetchall()
    more, rows = len(rows) > limit, rows[:limit]
    following = encode_cursor([written(rows[-1][2]), rows[-1][0], then], context=context) if more else None
    return Revocations(rows, then, following)
