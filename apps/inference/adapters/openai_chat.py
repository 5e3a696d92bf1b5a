"""Chat completions of any OpenAI-compatible server."""

import json
import time
from dataclasses import dataclass, replace
from typing import Any, Literal

from apps.core.errors import DomainError, Invalid
from apps.core.strict_json import lenient_loads
from apps.core.text import normalise, storable, storable_json
from apps.inference.adapters.openai_http import Refused, ask, client
from apps.inference.answers import Unreadable, read_object
from apps.inference.chat import ChatResult, ModelChoice, ToolCall, Turn
from apps.inference.errors import AnswerFault, ModelAnswerInvalid, ModelTimeout, ModelUnavailable

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Ten thousand statements fit; what is longer is not read."""
MAX_DEPTH = 32

_INSTRUCTION = "Answer with one JSON object and nothing else. It has to match this JSON schema:\n"


@dataclass(frozen=True)
class Dialect:
    """What a server takes; begun with the most, and lessened by what it refuses."""

    mode: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True


# By base URL and model, for the life of the process; only what has led to an answer is kept.
_dialects: dict[tuple[str, str], Dialect] = {}


class OpenAIChat:
    """A `ChatModel`. One `complete` is one request, but for the few in which a server's dialect is learned: a
    refusal (400 or 422) of a JSON schema leads to JSON mode, of that to JSON asked for in the prompt."""

    def __init__(self, choice: ModelChoice) -> None:
        self._choice = choice

    def complete(
        self,
        *,
        system: str,
        messages: list[dict[str, Any]],
        schema: dict[str, Any] | None,
        max_tokens: int,
        timeout: float,
    ) -> ChatResult:
        start = time.monotonic()
        body, dialect = self._ask(system, messages, schema, max_tokens, start + timeout)
        structured = schema is not None and dialect.mode == "json_schema"
        return self._read(body, schema, structured, round((time.monotonic() - start) * 1000))

    def converse(
        self,
        *,
        system: str,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]],
        max_tokens: int,
        timeout: float,
    ) -> Turn:
        start = time.monotonic()
        body, _ = self._ask(system, messages, None, max_tokens, start + timeout, tools=tools)
        message, result, cut = self._message(body, False, round((time.monotonic() - start) * 1000))
        given = _list(message.get("tool_calls"))
        calls = tuple(_call(one, place) for place, one in enumerate(given) if isinstance(one, dict))
        if not calls and (cut or not result.raw.strip()):
            raise ModelAnswerInvalid("truncated" if cut else "empty", result)
        said: dict[str, Any] = {"role": "assistant", "content": result.raw}
        if calls:
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
                }
                for call in calls
            ]
        return Turn(result, calls, said)

    def _ask(
        self,
        system: str,
        messages: list[dict[str, Any]],
        schema: dict[str, Any] | None,
        limit: int,
        deadline: float,
        *,
        tools: list[dict[str, Any]] | None = None,
    ) -> tuple[bytes, Dialect]:
        system, messages = storable(system)[0], storable_json(messages)[0]
        if not any(normalise(str(message.get("content") or "")) for message in messages):
            raise Invalid("empty_prompt", "There is nothing to ask the model about.")
        choice = self._choice
        create = client(choice.base_url, choice.api_key).chat.completions.with_streaming_response.create
        key = (choice.base_url, choice.model)
        known = Dialect("json_object" if choice.supports_schema is False else "json_schema")
        known = dialect = _dialects.get(key, known)
        seconds = deadline - time.monotonic()
        while True:
            body = _body(choice.model, dialect, system, messages, schema, limit)
            if tools:
                body["tools"] = [{"type": "function", "function": tool} for tool in tools]
            left = deadline - time.monotonic()
            if left <= 0:
                raise ModelTimeout(seconds)
            try:
                answer = ask(create, body, api_key=choice.api_key, seconds=left, max_bytes=MAX_ANSWER_BYTES)
            except Refused as refusal:
                lesser = _lessened(dialect, refusal, may_lose_schema=bool(schema) and not choice.supports_schema)
                if lesser is None:
                    raise ModelUnavailable(refusal.status) from None
                dialect = lesser
                continue
            if dialect != known:
                _dialects[key] = dialect
            return answer, dialect

    def _read(self, body: bytes, schema: dict[str, Any] | None, structured: bool, latency_ms: int) -> ChatResult:
        _, result, cut = self._message(body, structured, latency_ms)
        if schema is None:
            if cut or not result.raw.strip():
                raise ModelAnswerInvalid("truncated" if cut else "empty", result)
            return result
        try:
            value = read_object(result.raw, schema, cut=cut)
        except Unreadable as fault:
            raise ModelAnswerInvalid(fault.code, result) from None
        return replace(result, text=json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))

    def _message(self, body: bytes, structured: bool, latency_ms: int) -> tuple[dict[str, Any], ChatResult, bool]:
        """The answer's message, what came with it, and whether it stops at the token limit."""
        try:
            envelope = lenient_loads(body, max_bytes=len(body), max_depth=MAX_DEPTH)
        except DomainError as error:
            code: AnswerFault = "empty" if error.code == "empty_body" else "not_json"
            raise ModelAnswerInvalid(code) from None
        envelope = envelope if isinstance(envelope, dict) else {}
        first = (_list(envelope.get("choices")) or [None])[0]
        if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
            raise ModelAnswerInvalid("wrong_shape")
        raw = storable(_text(first["message"].get("content")))[0]
        usage, said_model = envelope.get("usage"), envelope.get("model")
        result = ChatResult(
            text=raw,
            model=storable(said_model)[0][:200] if isinstance(said_model, str) and said_model else self._choice.model,
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
            latency_ms=latency_ms,
            raw=raw,
            structured=structured,
        )
        return first["message"], result, first.get("finish_reason") == "length"


def _call(given: dict[str, Any], place: int) -> ToolCall:
    """A call of a tool; its arguments are JSON in a string, or, from some servers, an object."""
    function = given.get("function")
    function = function if isinstance(function, dict) else {}
    arguments, name, number = function.get("arguments"), function.get("name"), given.get("id")
    if isinstance(arguments, str):
        body = storable(arguments)[0].encode()
        try:
            arguments = lenient_loads(body, max_bytes=len(body), max_depth=MAX_DEPTH)
        except DomainError:
            arguments = None
    return ToolCall(
        id=storable(number)[0][:200] if isinstance(number, str) and number else f"call_{place}",
        name=storable(name)[0][:100] if isinstance(name, str) else "",
        arguments=storable_json(arguments)[0] if isinstance(arguments, dict) else None,
    )


def _body(
    model: str,
    dialect: Dialect,
    system: str,
    messages: list[dict[str, Any]],
    schema: dict[str, Any] | None,
    limit: int,
) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, dialect.limit: limit}
    if dialect.temperature:
        body["temperature"] = 0
    if schema is not None and dialect.mode == "json_schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    elif schema is not None:
        system = f"{system}\n\n{_INSTRUCTION}{json.dumps(schema)}".strip()
        if dialect.mode == "json_object":
            body["response_format"] = {"type": "json_object"}
    body["messages"] = [{"role": "system", "content": system}, *messages] if system else messages
    return body


def _lessened(dialect: Dialect, refusal: Refused, *, may_lose_schema: bool) -> Dialect | None:
    """The next dialect to try, or None. Each part is given up once, so that it ends after at most four."""
    blames = refusal.blames
    if blames & {"context_length_exceeded", "maximum context length"}:
        return None
    if dialect.limit == "max_tokens" and "max_completion_tokens" in blames:
        return replace(dialect, limit="max_completion_tokens")
    if dialect.temperature and "temperature" in blames:
        return replace(dialect, temperature=False)
    if may_lose_schema and dialect.mode != "prompt":
        return replace(dialect, mode="json_object" if dialect.mode == "json_schema" else "prompt")
    return None


def _text(content: Any) -> str:
    """A message's content, which some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in _list(content) if isinstance(part, dict)]
    return "".join(part for part in parts if isinstance(part, str))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(usage: Any, name: str) -> int:
    """A token count; from outside, so that it may be anything. A row has room for 2**31 - 1."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return min(value, 2**31 - 1) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
