"""Take in a batch of spans: at least once from the client, exactly once here."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid, TooLarge
from apps.core.sqlfiles import load
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Agent
from apps.tenancy.tombstones import buried, subject_digest, trace_digest
from apps.traces.keeping import keep_summaries
from apps.traces.models import Session, Trace
from apps.traces.spans import SpanRow, read_span

MAX_SPANS = 500


@dataclass(frozen=True)
class Ingested:
    """``ingested`` spans are new. ``dropped`` counts refused spans by reason; ``replaced_characters`` those that
    Postgres can't hold; ``differing`` second copies of a span that say something else; ``masked_secrets`` secrets that
    were masked before anything was stored."""

    ingested: int
    dropped: dict[str, int] = field(default_factory=dict)
    replaced_characters: int = 0
    differing: int = 0
    masked_secrets: int = 0


def ingest_spans(*, actor: Actor, project_id: int, spans: list[Any]) -> Ingested:
    """Store a batch of at most 500 spans of any traces, partial ones too, in one transaction.

    The first copy of a span wins. New spans reopen their trace for extraction. A bad span is dropped and counted,
    since a refused batch would block the client's queue. Raises TooLarge for more spans.
    """
    require(actor, "traces.ingest", project_id=project_id)
    if len(spans) > MAX_SPANS:
        raise TooLarge("too_many_spans", f"A batch has at most {MAX_SPANS} spans.", pointer="/spans")
    rows: dict[tuple[str, str], SpanRow] = {}
    dropped: Counter[str] = Counter()
    replaced = differing = masked = 0
    allowed = _allowed_agents(actor, project_id)
    for raw in spans:
        row = read_span(raw)
        if isinstance(row, str):
            dropped[row] += 1
            continue
        if allowed is not None and row.text("agent.name") and row.text("agent.name") not in allowed:
            dropped["agent_not_allowed"] += 1
            continue
        first = rows.setdefault((row.trace_id, row.span_id), row)
        differing += first.digest != row.digest
        replaced += row.replaced if first is row else 0
        masked += row.masked if first is row else 0
    # One order for all batches, so that two of them never wait for each other.
    ordered = [rows[key] for key in sorted(rows)]
    new = 0
    if ordered:
        with bind(project_id):
            welcome = without_erased(project_id, ordered)
            if len(welcome) < len(ordered):
                dropped["suppressed"] = len(ordered) - len(welcome)
            new, stored_differing = _store(project_id, welcome) if welcome else (0, 0)
            differing += stored_differing
            if new:
                record(
                    actor=actor,
                    verb="traces.ingest",
                    object_type="batch",
                    object_id=f"{len({row.trace_id for row in ordered})} traces",
                    data={"ingested": new, "dropped": sum(dropped.values())},
                )
    return Ingested(new, dict(dropped), replaced, differing, masked)


def _allowed_agents(actor: Actor, project_id: int) -> set[str] | None:
    """The names of the agents a limited key may speak for; None for any."""
    if actor.agents is None:
        return None
    with bind(project_id):
        return set(Agent.objects.filter(project_id=project_id, id__in=actor.agents).values_list("name", flat=True))


def without_erased(project_id: int, rows: list[SpanRow]) -> list[SpanRow]:
    """Without the traces that were erased, or whose user was, after they were observed, and without those of somebody
    who objected. A trace goes whole: its other spans bear no name, and are as much about the person."""
    marks: dict[str, set[bytes]] = defaultdict(set)
    begun: dict[str, datetime] = {}
    # Of a conversation that was erased while it went on, what comes after is of it too.
    traces = {row.trace_id: trace_digest(project_id, row.trace_id) for row in rows}
    for row in rows:
        marks[row.trace_id].add(traces[row.trace_id])
        if user_id := row.text("fastaiagent.meta.user_id").strip():
            marks[row.trace_id].add(subject_digest(project_id, "user", user_id))
        begun[row.trace_id] = min(row.started_at, begun.get(row.trace_id, row.started_at))
    seen = {trace_id: {(digest, begun[trace_id]) for digest in own} for trace_id, own in marks.items()}
    barred = buried(project_id, [mark for own in seen.values() for mark in own], ever=set(traces.values()))
    return [row for row in rows if not seen[row.trace_id] & barred] if barred else rows


def _store(project_id: int, rows: list[SpanRow]) -> tuple[int, int]:
    trace_ids = sorted({row.trace_id for row in rows})
    _make_known(project_id, rows)
    with connection.cursor() as cursor:
        cursor.execute(load("apps.traces", "open_traces"), {"project": project_id, "trace_ids": trace_ids})
        cursor.execute(
            load("apps.traces", "insert_spans"),
            {"project": project_id, "spans": json.dumps([_as_json(row) for row in rows])},
        )
        outcome = {(trace, span): is_new for trace, span, is_new in cursor.fetchall()}
    fresh: dict[str, list[SpanRow]] = defaultdict(list)
    differing: Counter[str] = Counter()
    for row in rows:
        stored = outcome[row.trace_id, row.span_id]
        if stored == "new":
            fresh[row.trace_id].append(row)
        differing[row.trace_id] += stored == "differs"
    for trace_id in trace_ids:
        if fresh[trace_id] or differing[trace_id]:
            join_spans(project_id, trace_id, fresh[trace_id], differing[trace_id])
    keep_summaries(project_id, [trace_id for trace_id in trace_ids if fresh[trace_id]])
    with connection.cursor() as cursor:
        cursor.execute(load("apps.traces", "subjects_seen"), {"project": project_id, "trace_ids": trace_ids})
    return sum(map(len, fresh.values())), differing.total()


def join_spans(project_id: int, trace_id: str, rows: list[SpanRow], differing: int = 0, *, known: int = 0) -> None:
    """Fold spans into their trace, which the caller has locked; ``known`` of them are counted already."""
    trace = Trace.objects.get(project_id=project_id, trace_id=trace_id)
    root = next((row for row in rows if row.is_root), None)
    named = sorted((row for row in rows if row.text("agent.name")), key=lambda row: (row.is_root, row.started_at))
    agent_name = named[-1].text("agent.name")[:200] if named and (not trace.agent_name or root) else ""
    agent = Agent.objects.filter(project_id=project_id, name=agent_name).first() if agent_name else None
    said = [
        {
            "span_id": row.span_id,
            "role": role,
            "content": text,
            "at": (row.started_at if role == "user" else row.ended_at).isoformat(),
        }
        for row in rows
        for role, text in row.said()
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            load("apps.traces", "join_trace"),
            {
                "project": project_id,
                "trace_id": trace_id,
                "started": min((row.started_at for row in rows), default=None),
                "ended": max((row.ended_at for row in rows), default=None),
                "root_name": root.name if root else None,
                "root_ended": root.ended_at if root else None,
                "status": root.status if root else None,
                "origin": next(
                    (row.text("fastaiagent.source")[:40] for row in rows if row.text("fastaiagent.source")),
                    None,
                ),
                "agent_name": agent_name or None,
                "agent": agent.id if agent else None,
                "subject": _subject(project_id, rows),
                "session": _session(project_id, rows),
                "spans": len(rows) - known,
                "arrived": len(rows),
                "differing": differing,
                "replaced": sum(row.replaced for row in rows),
                "masked": sum(row.masked for row in rows),
                "messages": json.dumps(said),
            },
        )


def _make_known(project_id: int, rows: list[SpanRow]) -> None:
    """Subjects and sessions seen for the first time, each kind in one order: batches that name the same new ones in
    different orders would wait for each other."""
    for user_id in sorted({row.text("fastaiagent.meta.user_id").strip() for row in rows}):
        if normalise(user_id) and user_id != "*" and len(user_id) <= 255:
            resolve_subject(project_id=project_id, external_id=user_id)
    names = sorted({name for row in rows if (name := _session_name(row))})
    Session.objects.bulk_create(
        [Session(project_id=project_id, external_id=name) for name in names], ignore_conflicts=True
    )


def _session_name(row: SpanRow) -> str:
    name = (row.text("fastaiagent.meta.session_id") or row.text("fastaiagent.meta.thread_id")).strip()[:255]
    return name if normalise(name) else ""


def _subject(project_id: int, rows: list[SpanRow]) -> int | None:
    for row in rows:
        user_id = row.text("fastaiagent.meta.user_id")
        if normalise(user_id):
            try:
                return resolve_subject(project_id=project_id, external_id=user_id).id
            except Invalid:
                # '*' and overlong ids name nobody; the spans stay, the trace has no subject.
                continue
    return None


def _session(project_id: int, rows: list[SpanRow]) -> int | None:
    for row in rows:
        if name := _session_name(row):
            Session.objects.bulk_create([Session(project_id=project_id, external_id=name)], ignore_conflicts=True)
            return Session.objects.get(project_id=project_id, external_id=name).id
    return None


def _as_json(row: SpanRow) -> dict[str, Any]:
    return {
        "trace_id": row.trace_id,
        "span_id": row.span_id,
        "parent_span_id": row.parent_span_id,
        "name": row.name,
        "status": row.status,
        "started_at": row.started_at.isoformat(),
        "ended_at": row.ended_at.isoformat(),
        "attributes": row.attributes,
        "events": row.events,
        "digest": "\\x" + row.digest.hex(),
        "sealed": "\\x" + row.sealed.hex() if row.sealed else None,
    }
