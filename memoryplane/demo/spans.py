"""Turns a demo conversation into the spans the SDK would have sent for it."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from memoryplane.demo.conversations import SYSTEM_PROMPTS, DemoConversation


def spans_of(conversation: DemoConversation, now: datetime) -> list[dict[str, Any]]:
    """Spans in the form of ``POST /public/v1/traces/ingest``, oldest first.

    One exchange (user turn and answer) is one trace: a root ``agent.<name>`` and its ``llm.test.demo``. The traces of
    one conversation share ``fastaiagent.meta.session_id``. Ids depend on the conversation alone, so sending it twice
    changes nothing; times are ISO-8601 UTC with microseconds, counted back from ``now`` (aware, UTC).
    """
    spans: list[dict[str, Any]] = []
    history = [{"role": "system", "content": SYSTEM_PROMPTS[conversation.agent]}]
    clock = conversation.started_at(now)
    for number, (asked, answered) in enumerate(conversation.exchanges()):
        history.append({"role": "user", "content": asked})
        thinking = timedelta(milliseconds=420 + 9 * len(answered))
        spans.extend(_exchange(conversation, number, history, answered, clock, thinking))
        history.append({"role": "assistant", "content": answered})
        # People read the answer and then type: about 40 and 5 characters a second.
        clock += thinking + timedelta(milliseconds=4_000 + 25 * len(answered) + 200 * min(len(asked), 300))
    return spans


def _exchange(
    conversation: DemoConversation,
    number: int,
    history: list[dict[str, str]],
    answered: str,
    start: datetime,
    thinking: timedelta,
) -> list[dict[str, Any]]:
    name = f"{conversation.id}/{number}"
    trace_id, root_id, child_id = _hex(f"{name}/trace", 32), _hex(f"{name}/agent", 16), _hex(f"{name}/llm", 16)
    end = start + thinking
    words_in = sum(len(message["content"].split()) for message in history)
    words_out = len(answered.split())
    attributes: dict[str, Any] = {
        "agent.name": conversation.agent,
        "agent.input": history[-1]["content"],
        "agent.output": answered,
        "agent.status": "completed",
        "agent.system_prompt": SYSTEM_PROMPTS[conversation.agent],
        "agent.tokens_used": words_in + words_out,
        "agent.latency_ms": int(thinking.total_seconds() * 1000),
        "agent.llm.provider": "test",
        "agent.llm.model": "demo",
        "fastaiagent.framework": "fastaiagent",
        "fastaiagent.meta.session_id": conversation.id,
    }
    if conversation.user_id is not None:
        attributes["fastaiagent.meta.user_id"] = conversation.user_id
    answer_attributes: dict[str, Any] = {
        "gen_ai.system": "test",
        "gen_ai.request.model": "demo",
        "gen_ai.request.messages": json.dumps(history, ensure_ascii=False),
        "gen_ai.response.content": answered,
        "gen_ai.response.finish_reason": "stop",
        "gen_ai.usage.input_tokens": words_in,
        "gen_ai.usage.output_tokens": words_out,
    }
    late = timedelta(milliseconds=3)
    return [
        _span(trace_id, root_id, None, f"agent.{conversation.agent}", start, end, attributes),
        _span(trace_id, child_id, root_id, "llm.test.demo", start + late, end - late, answer_attributes),
    ]


def _span(
    trace_id: str,
    span_id: str,
    parent_id: str | None,
    name: str,
    start: datetime,
    end: datetime,
    attributes: dict[str, Any],
) -> dict[str, Any]:
    return {
        "span_id": span_id,
        "trace_id": trace_id,
        "parent_span_id": parent_id,
        "name": name,
        "start_time": start.isoformat(timespec="microseconds"),
        "end_time": end.isoformat(timespec="microseconds"),
        "status": "UNSET",
        "attributes": attributes,
        "events": [],
    }


def _hex(name: str, length: int) -> str:
    return hashlib.sha256(f"memoryplane demo {name}".encode()).hexdigest()[:length]
