"""Appending a fact row: the one place where a statement becomes a row, used by every verb that appends."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from psycopg.types.json import Jsonb

from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.text import norm_hash
from apps.facts.corroborate import corroborate
from apps.facts.evidence import Evidence as Evidence  # part of what this module takes
from apps.facts.evidence import evidence_of, source_rows
from apps.facts.keyed import PLAIN, Slot
from apps.facts.models import Fact, FactDerivation, FactSource
from apps.facts.statement import Statement
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Agent, Project
from apps.tenancy.queries import find_agent

ATTEMPTS = 5
UNMARKED: dict[str, Any] = {"pinned": False, "restricted_reason": "", "retired_reason": ""}
CLOSING = {"superseded_by_id", "superseded_at", "retired_at", "retired_reason"}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a fact comes from; the defaults are a curator's own writing."""

    source: str = "manual"
    speaker: str = "curator"
    trust: int = 5
    observed_at: datetime | None = None
    source_trace_id: str | None = None
    proposal_id: UUID | None = None


@dataclass(frozen=True)
class Placed:
    """Whom a statement is about and who is told, as columns."""

    scope_id: str
    agent_id: UUID | None
    subject_id: int | None


@dataclass(frozen=True)
class Row:
    """A cleaned statement with all that its row holds; without a key in ``slot`` it is told in words alone. One with a
    reason in ``retired`` is closed from the beginning and told to nobody."""

    statement: Statement
    placed: Placed
    origin: Origin
    slot: Slot = PLAIN
    retired: str = ""


def place(project_id: int, scope: str, scope_id: str, agent_name: str) -> Placed:
    """Turn a scope into columns. Raises Invalid when the agent it needs is not in the project."""
    agent: Agent | None = None
    name = agent_name or (scope_id if scope == "agent" else "")
    if name and scope != "project":
        agent = find_agent(project_id=project_id, name_or_id=name)
        if agent is None:
            raise Invalid("unknown_agent", "There is no such agent in this project.", pointer="/scope_id")
    if scope == "agent":
        if agent is None:
            raise Invalid("subject_required", "Choose the agent that is told.", pointer="/scope_id")
        return Placed(agent.name, agent.id, None)
    if scope == "project":
        return Placed(Project.objects.get(id=project_id).slug, None, None)
    subject_id = None
    if scope == "user":
        subject = resolve_subject(project_id=project_id, external_id=scope_id)
        scope_id, subject_id = subject.external_id, subject.id
    return Placed(scope_id, agent.id if agent else None, subject_id)


def append_fact(
    *,
    project_id: int,
    statement: Statement,
    placed: Placed,
    origin: Origin,
    approved_by: str,
    evidence: list[Evidence],
    fact_id: int | None = None,
    slot: Slot = PLAIN,
) -> tuple[Fact, bool]:
    """Insert a cleaned statement, or find the current row that says the same; returns it and whether it is new.

    In a ``slot`` with a key, the row of that key is what would be the same.

    Any number of callers at once get the one row's id. A row whose time is over gives way: it is retired here, since an
    index can't know the time. Each conversation in ``evidence`` but the fact's own counts as a corroboration. The
    caller holds the transaction and has bound the project.
    """
    at = now()
    digest = norm_hash(statement.content)
    same = Fact.objects.in_project(project_id).filter(
        agent_id=placed.agent_id, scope=statement.scope, scope_id=placed.scope_id, label=slot.label
    )
    same = same.filter(key=None, norm_hash=digest) if slot.key is None else same.filter(key=slot.key)
    over = Q(expires_at__lte=at) | Q(valid_to__lte=at)
    same.current().filter(over).update(retired_at=at, retired_reason="expired")
    row = Row(statement, placed, origin, slot)
    columns = _columns(project_id, row, approved_by, at) | _heard(evidence, origin.source_trace_id)
    if fact_id is not None:
        columns["id"] = fact_id
    for _ in range(ATTEMPTS):
        fact = _insert_or_none(columns)
        if fact is not None:
            FactSource.objects.bulk_create(source_rows(fact, evidence))
            return fact, True
        # Somebody else's row stands in the way and is committed by now; a closed one can't, the index is partial.
        fact = same.current().select_for_update().first()
        if fact is not None:
            corroborate(fact, evidence)
            return fact, False
        # It was closed or forgotten between the two statements, so the place is free again.
    raise Conflict("fact_moved", "The same fact is being changed by others; try again.")


def append_facts(*, project_id: int, rows: Sequence[Row], approved_by: str) -> list[tuple[int, bool]]:
    """What `append_fact` does, of many statements that rest on no evidence, in two statements: of each, in their order, the
    id of the row that says it and whether that is new. Of equal ones the first is."""
    if not rows:
        return []
    at = now()
    ids = next_fact_ids(len(rows))
    made = _insert_all(
        [
            UNMARKED | {"id": fact_id} | _columns(project_id, row, approved_by, at)
            for fact_id, row in zip(ids, rows, strict=True)
        ]
    )
    found: list[tuple[int, bool]] = []
    for fact_id, row in zip(ids, rows, strict=True):
        if fact_id in made:
            found.append((fact_id, True))
            continue
        # Something stands in the way: rarely, since whoever brings many has looked for what is known.
        found.append(append_row(project_id=project_id, row=row, approved_by=approved_by))
    return found


def append_row(*, project_id: int, row: Row, approved_by: str) -> tuple[int, bool]:
    """One of them by itself: the fact's id, and whether it is new. Raises as `append_fact`."""
    fact, created = append_fact(
        project_id=project_id,
        statement=row.statement,
        placed=row.placed,
        origin=row.origin,
        approved_by=approved_by,
        evidence=[],
        slot=row.slot,
    )
    return fact.id, created


def _columns(project_id: int, row: Row, approved_by: str, at: datetime) -> dict[str, Any]:
    statement, placed, origin = row.statement, row.placed, row.origin
    return statement.marks() | {
        "project_id": project_id,
        "scope_id": placed.scope_id,
        "agent_id": placed.agent_id,
        "subject_id": placed.subject_id,
        "norm_hash": norm_hash(statement.content),
        "source": origin.source,
        "speaker": origin.speaker,
        "trust": origin.trust,
        "observed_at": origin.observed_at or at,
        "source_trace_id": origin.source_trace_id,
        "proposal_id": origin.proposal_id,
        "created_at": at,
        "approved_by": approved_by,
        "approved_at": at,
        "corroborations": 0,
        "last_seen_at": None,
        "retired_at": at if row.retired else None,
        "retired_reason": row.retired,
        **row.slot.columns(),
    }


def _heard(evidence: list[Evidence], source_trace_id: str | None) -> dict[str, Any]:
    again = [item for item in evidence if item.trace_id != source_trace_id]
    latest = max((item.observed_at for item in again), default=None)
    return {
        "corroborations": len({item.trace_id for item in again}),
        "last_seen_at": min(now(), latest) if latest else None,
    }


def append_copy(old: Fact, *, fact_id: int, approved_by: str) -> Fact:
    """Append what a closed row says as the row ``fact_id``, with its marks, evidence and parents. Raises Conflict
    ``fact_exists`` where another current row says it already."""
    at = now()
    columns = {
        field.attname: field.get_db_prep_save(getattr(old, field.attname), connection)
        for field in Fact._meta.concrete_fields
        if not field.generated and field.attname not in CLOSING | {"id", "updated_at"}
    }
    columns |= {"id": fact_id, "created_at": at, "approved_at": at, "approved_by": approved_by}
    # A value that is JSON's null would else become the database's.
    columns |= Slot(label=old.label, key=old.key, value=old.value).columns()
    copy = _insert_or_none(columns)
    if copy is None:
        raise Conflict("fact_exists", f"What #{old.id} says is said by another fact meanwhile.")
    FactSource.objects.bulk_create(source_rows(copy, evidence_of(old.project_id, [old.id])))
    parents = FactDerivation.objects.filter(project_id=old.project_id, child_id=old.id).values_list("parent", flat=True)
    FactDerivation.objects.bulk_create(
        [FactDerivation(project_id=old.project_id, child_id=copy.id, parent_id=parent) for parent in parents]
    )
    return copy


def supersede(facts: list[Fact], by_id: int) -> None:
    """Close locked, current rows in favour of the row ``by_id``, which the caller appends next.

    Close first: the new version may say the same words, and the index allows one current row of them.
    """
    Fact.objects.filter(project_id=facts[0].project_id, id__in=[fact.id for fact in facts]).update(
        superseded_at=now(), superseded_by_id=by_id
    )


def next_fact_id() -> int:
    """An id for a fact that is about to be appended, so that the row it supersedes can name it first."""
    return next_fact_ids(1)[0]


def next_fact_ids(many: int) -> list[int]:
    """Ids for so many, rising."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('facts_fact', 'id')) FROM generate_series(1, %s)", [many])
        return sorted(int(value) for (value,) in cursor.fetchall())


def _insert_or_none(columns: dict[str, Any]) -> Fact | None:
    # ON CONFLICT DO NOTHING waits for a concurrent twin and does not poison the transaction as an error would.
    columns = UNMARKED | columns
    names = list(columns)
    sql = (
        f"INSERT INTO facts_fact ({', '.join(names)})"  # noqa: S608
        f" VALUES ({', '.join(['%s'] * len(names))}) ON CONFLICT DO NOTHING RETURNING id"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [columns[name] for name in names])
        row = cursor.fetchone()
    return Fact.objects.get(project_id=columns["project_id"], id=row[0]) if row else None


def _insert_all(rows: list[dict[str, Any]]) -> set[int]:
    """Ids of those that could be made. One parameter, however many: to put so many into the text would take longer than all
    else."""
    names = list(rows[0])
    # Of a key JSON's null is a value.
    chosen = [
        "CASE WHEN key IS NOT NULL THEN coalesce(value, 'null') END" if name == "value" else name for name in names
    ]
    sql = (
        f"INSERT INTO facts_fact ({', '.join(names)}) SELECT {', '.join(chosen)}"  # noqa: S608
        " FROM jsonb_populate_recordset(NULL::facts_fact, %s) ON CONFLICT DO NOTHING RETURNING id"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [json.dumps(rows, default=_as_text)])
        return {fact_id for (fact_id,) in cursor.fetchall()}


def _as_text(value: Any) -> Any:
    if isinstance(value, Jsonb):
        return value.obj
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)
