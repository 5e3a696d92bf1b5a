"""What the SDK says of a run's memory: what was recalled, with scores and dropped copies, and what was written."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from apps.facts.models import Fact
from apps.traces.models import Span, Trace

MOST = 60
"""Memory spans of one trace that are shown; a plain run has about six."""
ITEMS = 50
PREFIX = 200
"""The SDK cuts each snippet there."""
WORDS = {
    "stored": "stored the message",
    "summarized": "summed the conversation up",
    "extracted_facts": "looked for facts",
    "embedded": "stored the message by meaning",
    "noop": "wrote nothing",
    "persist": "kept facts",
    "retrieve": "looked facts up",
    "update": "changed a fact",
    "forget": "forgot facts",
}
DETAILS = {
    "facts_extracted": "facts found",
    "total_facts": "facts in all",
    "persisted": "kept",
    "pruned": "dropped for being old",
}


@dataclass(frozen=True)
class Item:
    """One text that was recalled. ``score`` is null where the block has none; ``fact_id`` is the fact that says it, as
    far as one is known."""

    text: str
    score: float | None
    fact_id: int | None


@dataclass(frozen=True)
class Recalled:
    """What one block put before the model. ``deduped`` copies were left out by the client; ``hidden``: the client sends
    no texts."""

    block: str
    at: datetime
    span_id: str
    rendered: int
    deduped: int
    items: list[Item]
    hidden: bool


@dataclass(frozen=True)
class Written:
    """What one block or tier did, in words, with its numbers."""

    block: str
    at: datetime
    span_id: str
    what: str
    details: list[str]
    failed: bool


@dataclass(frozen=True)
class Memory:
    recalled: list[Recalled]
    written: list[Written]

    @property
    def deduped(self) -> int:
        return sum(one.deduped for one in self.recalled)


def memory_spans(trace: Trace) -> list[Span]:
    """The memory spans of a trace as they ran: found in an index alone, then read."""
    mine: QuerySet[Span] = Span.objects.filter(project_id=trace.project_id, trace_id=trace.trace_id)
    named = mine.filter(name__startswith="memory.").order_by("started_at", "-ended_at", "id").values("span_id")[:MOST]
    return sorted(mine.filter(span_id__in=named), key=lambda span: (span.started_at, span.ended_at, span.id))


def memory_of(spans: list[Span], told: list[Fact]) -> Memory:
    """``told`` are facts that the agent was told about then, among which those recalled are looked for by their words."""
    by_words = {_key(fact.content): fact.id for fact in told}
    recalled, written = [], []
    for span in spans:
        kind, _, rest = span.name.removeprefix("memory.").partition(".")
        if kind == "read" and rest:
            recalled.append(_recalled(span, rest, by_words))
        elif kind == "write" and rest:
            written.append(_written(span, rest, _text(span, "memory.action")))
        elif kind in {"persist", "retrieve", "update", "forget"}:
            written.append(_written(span, _text(span, "memory.tier") or _text(span, "memory.scope"), kind))
    return Memory(recalled, written)


def _recalled(span: Span, block: str, by_words: dict[str, int]) -> Recalled:
    snippets = [one for one in _list(span, "memory.snippets") if isinstance(one, str)][:ITEMS]
    scores = [one if _is_number(one) else None for one in _list(span, "memory.scores")]
    return Recalled(
        block=(_text(span, "memory.block_name") or block).replace("_", " "),
        at=span.started_at,
        span_id=span.span_id,
        rendered=_number(span, "memory.rendered_count"),
        deduped=_number(span, "memory.deduped_count"),
        items=[
            Item(text, scores[at] if at < len(scores) else None, by_words.get(_key(text)))
            for at, text in enumerate(snippets)
        ],
        hidden=not snippets and _number(span, "memory.rendered_count") > 0,
    )


def _written(span: Span, block: str, action: str) -> Written:
    detail = span.attributes.get("memory.detail")
    found = _json(detail) if isinstance(detail, str) else None
    numbers = found if isinstance(found, dict) else {}
    details = [f"{numbers[name]:,} {words}" for name, words in DETAILS.items() if _is_number(numbers.get(name))]
    if _number(span, "memory.count"):
        details.append(f"{_number(span, 'memory.count'):,} in all")
    return Written(
        block=block.replace("_", " "),
        at=span.started_at,
        span_id=span.span_id,
        what=WORDS.get(action, action or "ran"),
        details=details,
        failed=span.status == "ERROR",
    )


def _key(text: str) -> str:
    return " ".join(text.split())[:PREFIX].rstrip()


def _text(span: Span, name: str) -> str:
    value = span.attributes.get(name)
    return value if isinstance(value, str) else ""


def _number(span: Span, name: str) -> int:
    value = span.attributes.get(name)
    return int(value) if _is_number(value) and abs(value) < 1e9 else 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e15


def _list(span: Span, name: str) -> list[Any]:
    value = span.attributes.get(name)
    found = _json(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else []


def _json(text: str) -> Any:
    """What JSON text says; None for what is none: spans hold whatever a client sent."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
