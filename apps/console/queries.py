"""Reads for single pages that join rooms which know nothing of each other."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import (
    BooleanField,
    Count,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from apps.core.clock import now
from apps.core.counting import capped_count
from apps.core.sqlfiles import load
from apps.curation.models import SAYING, Proposal
from apps.extraction.queries import MAX_ATTEMPTS
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Agent
from apps.tenancy.queries import find_agent, find_subject
from apps.traces.models import Session, Trace


@dataclass(frozen=True)
class Inflow:
    """When the last trace came in, null for none yet, and how many wait to be mined, MOST + 1 for any number beyond."""

    last_at: datetime | None
    waiting: int


def inflow(project_id: int) -> Inflow:
    newest = Trace.objects.filter(project_id=project_id).order_by("-started_at", "-id").first()
    waiting = capped_count(Trace.objects.filter(project_id=project_id, extracted_at=None, origin="", dead_reason=""))
    return Inflow(newest.last_arrival_at if newest else None, waiting)


def is_dead() -> Q:
    """Of an open trace: that nobody works on it until a person sends it round."""
    gone = Q(lease_until=None) | Q(lease_until__lte=now())
    return ~Q(dead_reason="") | Q(attempts__gte=MAX_ATTEMPTS) & gone


def open_traces(project_id: int) -> "QuerySet[Trace]":
    """Production traces that are not mined yet, dead ones too."""
    return Trace.objects.filter(project_id=project_id, extracted_at=None, origin="")


@dataclass(frozen=True, kw_only=True)
class TraceFilter:
    """One list of traces. Empty values leave a filter out. ``trace_id`` may be the beginning of one; ``user`` is an id or
    an alias; ``state`` is "waiting", "failing", "dead" or "mined"."""

    agents: tuple[str, ...] = ()
    trace_id: str = ""
    user: str = ""
    session: str = ""
    state: str = ""
    learned: bool = False


def trace_rows(project_id: int, wanted: TraceFilter) -> "QuerySet[Trace]":
    """Traces with their subjects, in no order yet. A trace without a single valid span has no time and is not shown."""
    traces = Trace.objects.filter(project_id=project_id, started_at__isnull=False).select_related("subject")
    if wanted.agents:
        traces = traces.filter(agent_name__in=wanted.agents)
    if wanted.user:
        # By number, so that the plan knows how many there are; an id that means nobody finds nothing.
        subject = find_subject(project_id=project_id, external_id=wanted.user)
        traces = traces.filter(subject_id=subject.id) if subject else traces.none()
    if wanted.session:
        named = Session.objects.filter(project_id=project_id, external_id=wanted.session).values("id")
        traces = traces.filter(session_id=Subquery(named))
    if wanted.state == "mined":
        traces = traces.filter(extracted_at__isnull=False, origin="")
    elif wanted.state == "dead":
        traces = traces.filter(is_dead(), extracted_at=None, origin="")
    elif wanted.state:
        failing = wanted.state == "failing"
        traces = traces.filter(~is_dead(), extracted_at=None, origin="", not_before__isnull=not failing)
    if wanted.learned:
        traces = traces.filter(proposal_count__gt=0)
    if wanted.trace_id:
        # A range and not LIKE: row security lets an index be searched only by operators that tell nothing.
        traces = traces.filter(trace_id__gte=wanted.trace_id, trace_id__lte=wanted.trace_id.ljust(32, "f"))
    return traces


MERGED = 20
"""So many agents are each looked for along their own index; of more, some trace is soon met in the list of all."""


def each_of(traces: "QuerySet[Trace]", wanted: TraceFilter) -> "list[QuerySet[Trace]]":
    """``traces`` of a filter that names several agents, agent by agent; empty for any other."""
    if not 1 < len(wanted.agents) <= MERGED:
        return []
    return [traces.filter(agent_name=name) for name in wanted.agents]


def trace_in_session(project_id: int, trace_id: str) -> Trace | None:
    """A trace with its subject and session, and ``earlier`` and ``later``: the trace ids of its neighbours in the
    session, null where there is none."""
    others = Trace.objects.filter(project_id=project_id, session_id=OuterRef("session_id"), started_at__isnull=False)
    here = OuterRef("started_at")
    before = others.filter(Q(started_at__lt=here) | Q(id__lt=OuterRef("id")), started_at__lte=here)
    after = others.filter(Q(started_at__gt=here) | Q(id__gt=OuterRef("id")), started_at__gte=here)
    return (
        Trace.objects.filter(project_id=project_id, trace_id=trace_id)
        .select_related("subject", "session")
        .annotate(
            earlier=Subquery(before.order_by("-started_at", "-id").values("trace_id")[:1]),
            later=Subquery(after.order_by("started_at", "id").values("trace_id")[:1]),
        )
        .first()
    )


def traces_about(project_id: int, subject_id: int) -> "QuerySet[Trace]":
    """A subject's traces, in no order yet."""
    return Trace.objects.filter(project_id=project_id, subject_id=subject_id, started_at__isnull=False)


QUOTES = 500
"""Of one trace so many quotes are marked, the first ones."""


@dataclass(frozen=True)
class Quoted:
    """Words of a message, and what rests on them; both null where the reader may not see it."""

    start: int
    end: int
    fact_id: int | None
    proposal_id: UUID | None


def quoted_spans(project_id: int, trace_id: str, sensitivities: tuple[str, ...]) -> dict[int, list[Quoted]]:
    """The words of each message of a trace that proposals and facts rest on, by message id."""
    found: dict[int, list[Quoted]] = {}
    asked: dict[str, Any] = {"project": project_id, "trace": trace_id, "seen": list(sensitivities), "most": QUOTES}
    with connection.cursor() as cursor:
        cursor.execute(load(__package__, "quoted"), asked)
        for message_id, *row in cursor.fetchall():
            found.setdefault(message_id, []).append(Quoted(*row))
    return found


def speaking_spans(project_id: int, trace_id: str) -> tuple[set[str], dict[str, str | None]]:
    """The spans of a trace that carry messages, and the span above each of all."""
    speaking: set[str] = set()
    parents: dict[str, str | None] = {}
    with connection.cursor() as cursor:
        cursor.execute(load(__package__, "speaking"), {"project": project_id, "trace": trace_id})
        for span_id, parent, speaks in cursor.fetchall():
            if speaks:
                speaking.add(span_id)
            else:
                parents[span_id] = parent
    return speaking, parents


PRODUCED = 200
"""Of what came of one trace so much is listed, the newest."""


def facts_of_trace(project_id: int, trace_id: str, sensitivities: tuple[str, ...]) -> list[Fact]:
    """Facts that were learned from a trace or rest on its words, newest first, every version."""
    resting = FactSource.objects.filter(project_id=project_id, trace_id=trace_id).order_by().values("fact_id")
    facts = Fact.objects.in_project(project_id)
    # Each of its own index, which one condition with OR has none of.
    ids = facts.filter(source_trace_id=trace_id).order_by().values("id").union(resting)
    return list(facts.filter(id__in=ids, sensitivity__in=sensitivities).order_by("-id")[:PRODUCED])


NAMED = 100
"""So many agents stand in a menu, the first by name; any other can be named in the address."""


def agent_names(project_id: int, ids: set[UUID] | None = None, *, most: int | None = None) -> dict[UUID, str]:
    """Names of agents by id, in the order of their names; all of the project's, or the first ``most``, when ``ids`` is None."""
    agents = Agent.objects.filter(project_id=project_id).order_by("name")
    agents = agents[:most] if ids is None else agents.filter(id__in=ids)
    return dict(agents.values_list("id", "name"))


def agent_called(project_id: int, name_or_id: str, known: dict[UUID, str]) -> Agent | None:
    """The agent of this unique name or id, with its id and name; asks nothing where it is among those ``known``."""
    for agent_id, name in known.items():
        if name == name_or_id:
            return Agent(project_id=project_id, id=agent_id, name=name)
    return find_agent(project_id=project_id, name_or_id=name_or_id)


def _count(rows: "QuerySet[Any]") -> Coalesce:
    """A correlated count: grouped by nothing, so that it is one number a row."""
    counted = rows.order_by().annotate(one=Value(1)).values("one").annotate(n=Count("*")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


WAITING_LOOKED_AT = 200
"""Of the proposals that wait in an agent's scopes, the newest so many are searched."""


def waiting_about(
    project_id: int,
    *,
    agent_id: UUID,
    subject_id: int | None,
    text: str,
    pieces: list[str],
    sensitivities: tuple[str, ...],
    limit: int = 10,
) -> list[Proposal]:
    """Proposals that wait and that a read of this agent for this subject would be told once they are approved, newest
    first: those that share a word or an odd piece with a question, all of them when nothing is asked."""
    place = Q(scope="agent", agent_id=agent_id) | Q(scope="project", agent_id=None)
    if subject_id is not None:
        place |= Q(Q(agent_id=None) | Q(agent_id=agent_id), scope="user", subject_id=subject_id)
    waiting = (
        Proposal.objects.in_project(project_id)
        .waiting()
        .filter(place, sensitivity__in=sensitivities, op__in=SAYING)
        .order_by("-created_at", "-id")
    )
    if not text:
        return list(waiting[:limit])
    # Of these alone: the words are looked for in rows that were found by their id.
    newest = waiting.values("id")[:WAITING_LOOKED_AT]
    shares = RawSQL(
        "EXISTS (SELECT FROM recall_weights(%s) w, unnest(question_terms(%s, w.language)) term"
        " WHERE to_tsvector('simple', curation_proposal.content) @@ term)"
        " OR curation_proposal.content ILIKE ANY (%s)",
        (project_id, text, pieces),
        output_field=BooleanField(),
    )
    found = Proposal.objects.in_project(project_id).filter(id__in=newest).order_by("-created_at", "-id")
    return list(found.annotate(shares=shares).filter(shares=True)[:limit])
