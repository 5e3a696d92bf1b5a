"""Traces in words: what extraction made of one, how it ran, what was said and what was told."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.console.shaping.model_words import MODEL_ERRORS
from apps.core.clock import now
from apps.extraction.queries import MAX_ATTEMPTS
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.recall.queries import reads_between
from apps.traces.models import Span, Trace

READ_WINDOW = timedelta(minutes=10)
READS = 10
FACTS_TOLD = 40
MAX_SPANS = 300
DEEPEST = 12


@dataclass(frozen=True)
class State:
    """What extraction made of a trace: a word or two, a colour level, an icon, and more words or nothing."""

    text: str
    level: str
    icon: str
    note: str = ""


def state_of(trace: Trace) -> State:
    """The same words in the list and on the page. The clock is this process', so a lease may look a moment longer."""
    at = now()
    if trace.origin:
        return State("not production", "", "info", f"a run of {trace.origin}, never mined")
    if is_dead(trace):
        return State("given up", "bad", "alert", f"{trace.attempts} tries, {_why_dead(trace.dead_reason)}")
    if trace.extracted_at:
        return State("mined", "live", "check")
    if trace.lease_until and trace.lease_until > at:
        return State("being mined", "info", "clock")
    if trace.attempts:
        times = "once" if trace.attempts == 1 else f"{trace.attempts} times"
        return State(f"failed {times}", "warn", "alert", "is tried again")
    return State("waiting", "warn", "clock")


def _why_dead(code: str) -> str:
    return MODEL_ERRORS.get(code, code) or "workers lost"


def is_dead(trace: Trace) -> bool:
    """Whether nobody works on it until a person sends it round: given up, or left by its workers too often."""
    if trace.extracted_at or trace.origin:
        return False
    leased = trace.lease_until is not None and trace.lease_until > now()
    return bool(trace.dead_reason) or (trace.attempts >= MAX_ATTEMPTS and not leased)


@dataclass(frozen=True)
class Read:
    """One read of the ledger near the run. ``gone`` counts facts told then that are forgotten or not for these eyes;
    ``rest`` are shown by number alone."""

    at: datetime
    told: int
    facts: list[Fact]
    gone: int
    rest: list[int]


def reads_of(trace: Trace, sensitivities: tuple[str, ...]) -> list[Read]:
    """The first ten reads of the trace's agent from ten minutes before it began to its end, each with the facts it told
    first; empty where the trace names no agent."""
    if trace.agent_id is None or trace.started_at is None or trace.ended_at is None:
        return []
    reads = reads_between(trace.project_id, trace.agent_id, trace.started_at - READ_WINDOW, trace.ended_at)[:READS]
    ids = list(dict.fromkeys(fact_id for read in reads for fact_id in read.fact_ids))[:FACTS_TOLD]
    facts = Fact.objects.in_project(trace.project_id).filter(sensitivity__in=sensitivities)
    known = facts.only("id", "content", "sensitivity").in_bulk(ids) if ids else {}
    return [_read(read, known, set(ids)) for read in reads]


def _read(read: ReadLedger, facts: dict[int, Fact], looked_up: set[int]) -> Read:
    there = [facts[fact_id] for fact_id in read.fact_ids if fact_id in facts]
    rest = [fact_id for fact_id in read.fact_ids if fact_id not in looked_up]
    return Read(read.at, len(read.fact_ids), there, len(read.fact_ids) - len(there) - len(rest), rest)


@dataclass(frozen=True)
class Node:
    """One line of the span tree. ``indent`` is the width of what stands before it, in px."""

    span_id: str
    name: str
    status: str
    depth: int
    indent: int
    milliseconds: float


@dataclass(frozen=True)
class Tree:
    """The first spans of a trace as a tree read from top to bottom, and how many there are in all."""

    nodes: list[Node]
    total: int


def tree_of(trace: Trace) -> Tree:
    """Parents before their children; a span whose parent did not come stands at the top. Of each only what an index
    holds: what it carries is on its own page."""
    columns = ("span_id", "parent_span_id", "name", "status", "started_at", "ended_at")
    spans = list(
        Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id)
        .order_by("started_at", "-ended_at", "id")
        .values_list(*columns, named=True)
    )
    known = {span.span_id for span in spans}
    children: dict[str | None, list[Any]] = {}
    for span in spans:
        parent = span.parent_span_id if span.parent_span_id in known and span.parent_span_id != span.span_id else None
        children.setdefault(parent, []).append(span)
    order: list[tuple[Any, int]] = []
    seen: set[str] = set()
    for start in [*children.get(None, []), *spans]:
        waiting = [(start, 0)]
        while waiting:
            span, depth = waiting.pop()
            if span.span_id in seen:
                continue  # spans that name each other as parents are walked once
            seen.add(span.span_id)
            order.append((span, depth))
            waiting += [(child, depth + 1) for child in reversed(children.get(span.span_id, []))]
    return Tree(
        [
            Node(
                span_id=span.span_id,
                name=span.name,
                status=span.status,
                depth=depth,
                indent=16 * min(depth, DEEPEST),
                milliseconds=(span.ended_at - span.started_at).total_seconds() * 1000,
            )
            for span, depth in order[:MAX_SPANS]
        ],
        len(order),
    )


def as_text(value: Any) -> str:
    """JSON as people read it; letters of every script stay what they are."""
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def whole_span(span: Span) -> str:
    """Everything the client sent of a span that has no column of its own."""
    return as_text({"attributes": span.attributes, "events": span.events})


def notices(trace: Trace) -> Iterable[str]:
    """What was not taken in as it was sent."""
    if trace.differing_copies:
        copies = "One span came" if trace.differing_copies == 1 else f"{trace.differing_copies:,} spans came"
        yield f"{copies} a second time saying something else. The first copy is shown."
    if trace.masked_secrets:
        # Spans repeat each other's words, so that one secret is masked in several of them.
        places = "one place" if trace.masked_secrets == 1 else f"{trace.masked_secrets:,} places"
        yield f"Masked before anything was stored: a secret, such as a password or a key, in {places}."
    if trace.replaced_characters:
        letters = "One character" if trace.replaced_characters == 1 else f"{trace.replaced_characters:,} characters"
        yield f"{letters} that can't be stored (U+0000, lone surrogates) became �."
