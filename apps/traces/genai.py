"""The GenAI semantic conventions of OpenTelemetry, put into the names that this room's spans have.

What is moved keeps nothing under its old name: a text that stands twice is twice as much to keep and to forget. The table
is docs/otlp.md.
"""

import json
import re
from collections import defaultdict
from typing import Any

AGENTS = ("invoke_agent", "invoke_workflow")
MODELS = ("chat", "generate_content", "text_completion")
# What the run belongs to, by our name: the first of these that is there.
RUN = {
    "agent.name": ("gen_ai.agent.name",),
    "fastaiagent.meta.user_id": ("user.id", "enduser.id", "traceloop.association.properties.user_id"),
    "fastaiagent.meta.session_id": (
        "gen_ai.conversation.id",
        "session.id",
        "traceloop.association.properties.session_id",
    ),
}
TOOLS = {
    "tool.name": ("gen_ai.tool.name",),
    "tool.args": ("gen_ai.tool.call.arguments",),
    "tool.result": ("gen_ai.tool.call.result",),
}
INPUT, OUTPUT, SYSTEM = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"
_TOLD = ("gen_ai.", "traceloop.", "llm.")
# As OpenLLMetry writes them: gen_ai.prompt.0.role, gen_ai.completion.0.content.
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,4})\.(role|content)")
# As conventions up to 1.36 have them, each message an event of its span.
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "answer",
    "gen_ai.content.prompt": "prompt",
    "gen_ai.content.completion": "completion",
}
Message = dict[str, Any]
"""role, content (text), and of a model's wish to call tools ``tool_calls``."""


def is_told(attributes: dict[str, Any], events: list[dict[str, Any]]) -> bool:
    """Whether a span is about a model, an agent or a tool."""
    return any(name.startswith(_TOLD) for name in attributes) or any(
        str(event["name"]).startswith("gen_ai.") for event in events
    )


def translate(
    attributes: dict[str, Any], events: list[dict[str, Any]], *, is_run: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The attributes and events under our names. What can't be read as messages stays as it was sent."""
    attributes = dict(attributes)
    for ours, theirs in (RUN | TOOLS).items():
        for name in theirs:
            if name in attributes and ours not in attributes:
                value = attributes.pop(name)
                attributes[ours] = value if isinstance(value, str) else _json(value)
    service = attributes.get("service.name")
    if (
        is_run
        and "agent.name" not in attributes
        and isinstance(service, str)
        and not service.startswith("unknown_service")
    ):
        attributes["agent.name"] = service
    asked, answered, instructions, events = _messages(attributes, events)
    _say(attributes, asked, answered, instructions)
    return attributes, events


def _say(attributes: dict[str, Any], asked: list[Message], answered: list[Message], instructions: str) -> None:
    operation = attributes.get("gen_ai.operation.name")
    system = instructions or "\n".join(one["content"] for one in asked if one["role"] in ("system", "developer"))
    if system:
        attributes.setdefault("agent.system_prompt", system)
    # Of a history only what was said last: the rest was said in the runs before.
    last = max((place for place, one in enumerate(asked) if one["role"] == "assistant"), default=-1)
    user = "\n".join(one["content"] for one in asked[last + 1 :] if one["role"] == "user" and one["content"])
    reply = "\n".join(one["content"] for one in answered if one["content"])
    # A model's answer beside a wish to call tools is a thought on the way.
    done = not any(one.get("tool_calls") for one in answered)
    if operation in AGENTS:
        kind = "agent"
    elif operation in MODELS or operation is None:
        kind = "chain"
        if asked:
            attributes["gen_ai.request.messages"] = _json(asked)
        if reply:
            attributes["gen_ai.response.content"] = reply
        if calls := [call for one in answered for call in one.get("tool_calls", [])]:
            attributes["gen_ai.response.tool_calls"] = _json(calls)
    else:
        return
    if user:
        attributes[f"{kind}.input"] = user
    if reply and done:
        attributes[f"{kind}.output"] = reply


def _messages(
    attributes: dict[str, Any], events: list[dict[str, Any]]
) -> tuple[list[Message], list[Message], str, list[dict[str, Any]]]:
    """Input, output, instructions, and the events that are none of them; taken out of ``attributes``."""
    asked, answered = _taken(attributes, INPUT), _taken(attributes, OUTPUT)
    system = _instructions(attributes)
    numbered: dict[str, dict[int, Message]] = {"prompt": defaultdict(dict), "completion": defaultdict(dict)}
    for name in [name for name in attributes if _NUMBERED.fullmatch(name)]:
        match = _NUMBERED.fullmatch(name)
        if match and isinstance(attributes[name], str):
            numbered[match[1]][int(match[2])][match[3]] = attributes.pop(name)
    asked += [_message(numbered["prompt"][place], "user") for place in sorted(numbered["prompt"])]
    answered += [_message(numbered["completion"][place], "assistant") for place in sorted(numbered["completion"])]
    rest = []
    for event in events:
        name, body = str(event["name"]), event["attributes"]
        if name == "gen_ai.client.inference.operation.details":
            asked += _taken(body, INPUT)
            answered += _taken(body, OUTPUT)
            system = system or _instructions(body)
            rest.append(event)
        elif (role := _EVENT_ROLES.get(name)) and (found := _of_event(role, body)) is not None:
            (answered if role in ("answer", "completion") else asked).extend(found)
        else:
            rest.append(event)
    return asked, answered, system, rest


def _taken(holder: dict[str, Any], name: str) -> list[Message]:
    """The messages of a list under ``name``, which is then gone; none where it is no such list, which then stays."""
    found = _parsed(holder.get(name))
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return []
    del holder[name]
    return [_message(one, "user" if name == INPUT else "assistant") for one in found]


def _instructions(holder: dict[str, Any]) -> str:
    found = _parsed(holder.get(SYSTEM))
    if not isinstance(found, list):
        found = [found] if isinstance(found, str) else []
    text = "\n".join(filter(None, (_part(one) for one in found)))
    if text:
        del holder[SYSTEM]
    return text


def _of_event(role: str, body: dict[str, Any]) -> list[Message] | None:
    content = _parsed(body.get("gen_ai.event.content"))
    if role in ("prompt", "completion"):
        found = _parsed(body.get(f"gen_ai.{role}"))
        default = "user" if role == "prompt" else "assistant"
        if isinstance(found, list) and all(isinstance(one, dict) for one in found):
            return [_message(one, default) for one in found]
        return [{"role": default, "content": found}] if isinstance(found, str) else None
    told = content if isinstance(content, dict) else body
    if role == "answer":
        inner = _parsed(told.get("message"))
        return [_message({**told, **inner} if isinstance(inner, dict) else told, "assistant")]
    return [_message(told, role)]


def _message(raw: dict[str, Any], role: str) -> Message:
    said = raw.get("role")
    message: Message = {"role": said if isinstance(said, str) else role, "content": _text(raw)}
    parts = _parsed(raw.get("parts"))
    calls = (
        [one for one in parts if isinstance(one, dict) and one.get("type") == "tool_call"]
        if isinstance(parts, list)
        else []
    )
    older = _parsed(raw.get("tool_calls"))
    if calls or (isinstance(older, list) and older):
        message["tool_calls"] = calls or older
    return message


def _text(raw: dict[str, Any]) -> str:
    parts = _parsed(raw.get("parts"))
    if isinstance(parts, list):
        return "\n".join(filter(None, (_part(one) for one in parts)))
    content = raw.get("content")
    if isinstance(content, list):
        return "\n".join(filter(None, (_part(one) for one in content)))
    return content if isinstance(content, str) else ""


def _part(part: Any) -> str:
    """The words of a part: of a tool's answer what it said, of an image or a thought nothing."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = part.get("type", "text")
    if kind == "text":
        found = part.get("content", part.get("text"))
    elif kind == "tool_call_response":
        found = part.get("response", part.get("result"))
    else:
        return ""
    if found is None:
        return ""
    return found if isinstance(found, str) else _json(found)


def _parsed(value: Any) -> Any:
    """JSON in a text, as most instrumentations send structures; anything else as it is."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
