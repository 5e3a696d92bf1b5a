"""Spans as the SDK sends them, for tests."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def trace_id(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def span_id(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def span(
    trace: str,
    name: str,
    *,
    parent: str | None = None,
    start: float = 0,
    seconds: float = 1,
    attributes: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """One span of the trace called ``trace``; ``parent`` is the name of another span of it."""
    begin = NOON + timedelta(seconds=start)
    return {
        "span_id": span_id(f"{trace}/{name}"),
        "trace_id": trace_id(trace),
        "parent_span_id": span_id(f"{trace}/{parent}") if parent else None,
        "name": name,
        "start_time": begin.isoformat(timespec="microseconds"),
        "end_time": (begin + timedelta(seconds=seconds)).isoformat(timespec="microseconds"),
        "status": "UNSET",
        "attributes": attributes or {},
        "events": [],
    } | fields


def run_of(
    trace: str, said: str, answer: str = "Understood.", *, agent: str = "support", user: str | None = None, **more: Any
) -> list[dict[str, Any]]:
    """A plain run: the model call first, as spans arrive when they end, then the root."""
    attributes = {"agent.name": agent, "agent.input": said, "agent.output": answer, "agent.status": "completed"}
    if user is not None:
        attributes["fastaiagent.meta.user_id"] = user
    return [
        span(trace, "llm.test.model", parent=f"agent.{agent}", start=0.1, seconds=0.5),
        span(trace, f"agent.{agent}", attributes=attributes | more),
    ]
