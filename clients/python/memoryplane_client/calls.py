"""The requests of the API and what their answers mean, without sending anything: both clients are made of these."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeVar

import httpx

from memoryplane_client.errors import OF_STATUS, MemoryPlaneError, NoSuchKey, UnexpectedAnswer

T = TypeVar("T")
Scope = Literal["agent", "project", "user", "session", "other"]
PROBLEM = "urn:memoryplane:problem:"
PAGE = 200


@dataclass(frozen=True)
class Fact:
    """One statement, or of a key its line of words. ``id`` is None for what ``waits`` for a person; ``said_at`` is when it was
    said, as seconds since 1970."""

    id: int | None
    content: str
    scope: str
    scope_id: str
    label: str
    source: str
    source_trace_id: str | None
    confidence: float
    said_at: float
    superseded_by: int | None
    waits: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Added:
    """``id`` is None while it waits for a person (``proposal_id``); ``state`` is told, closed, waiting or held."""

    id: int | None
    created: bool
    state: str
    proposal_id: str | None


@dataclass(frozen=True)
class Forgotten:
    """Rows that went, counted by the server; a ``proposal_id`` where a person decides first and nothing went yet."""

    facts: int
    superseded: int
    proposal_id: str | None


@dataclass(frozen=True)
class Memory:
    """One key with its value. ``fact_id`` is None for what is no fact; ``waits``: for a person, and only its writer reads it."""

    key: str
    value: Any
    fact_id: int | None
    updated_at: datetime
    waits: bool


@dataclass(frozen=True)
class Kept:
    """What became of a value: ``state`` is told, waiting, held, operational, or done (written before)."""

    state: str
    fact_id: int | None
    proposal_id: str | None
    created: bool
    changed: bool


@dataclass(frozen=True)
class Removed:
    """Keys that are gone for whoever asked; ``waiting`` of them till a person decides; ``kept`` stay."""

    removed: int
    waiting: int
    kept: int


@dataclass(frozen=True)
class Dream:
    """A dream run. ``created`` is False where one waits or goes on in that place already."""

    id: int
    state: str
    created: bool


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request and how to read its answer. ``again``: it may be sent twice, for the second changes nothing."""

    method: str
    path: str
    read: Callable[[Any], T]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    again: bool = False

    def content(self) -> bytes | None:
        """The body as JSON. Raises TypeError for what is no JSON, before anything is sent."""
        if self.body is None:
            return None
        return json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode("utf-8")


def check() -> Call[dict[str, Any]]:
    return Call("GET", "auth/check", dict, again=True)


def add_fact(
    content: str,
    *,
    scope: str,
    scope_id: str = "",
    agent: str = "",
    label: str = "",
    confidence: float = 1.0,
    source: str = "agent",
    source_trace_id: str | None = None,
    said_at: float | None = None,
    **marks: Any,
) -> Call[Added]:
    body: dict[str, Any] = {"content": content, "scope": scope, "confidence": confidence, "source": source, **marks}
    optional = {"scope_id": scope_id, "agent": agent, "label": label, "source_trace_id": source_trace_id}
    body |= {name: value for name, value in optional.items() if value}
    if said_at is not None:
        body["observed_at"] = datetime.fromtimestamp(said_at, UTC).isoformat(timespec="microseconds")
    # By its words there is one row of it, however often it is sent.
    return Call("POST", "facts", lambda data: Added(**{name: data[name] for name in Added.__annotations__}), body=body)


def get_fact(fact_id: int) -> Call[Fact]:
    return Call("GET", f"facts/{int(fact_id)}", fact_of, again=True)


def list_facts(params: Mapping[str, str]) -> Call[tuple[list[Fact], str | None]]:
    def read(data: Any) -> tuple[list[Fact], str | None]:
        waiting = [waiting_of(row) for row in data.get("waiting", [])]
        return [*(fact_of(row) for row in data["facts"]), *waiting], data["next"]

    return Call("GET", "facts", read, params=params, again=True)


def supersede_fact(fact_id: int, by: int) -> Call[str | None]:
    path = f"facts/{int(fact_id)}/supersede"
    return Call("POST", path, lambda data: data["proposal_id"], body={"by": int(by)}, again=True)


def forget_fact(fact_id: int) -> Call[Forgotten]:
    return Call("DELETE", f"facts/{int(fact_id)}", _forgotten)


def forget_facts(scope: str, scope_id: str, *, label: str = "", content: str | None = None) -> Call[Forgotten]:
    params = {"scope": scope, "scope_id": scope_id, "label": label}
    params |= {"all": "true"} if content is None else {"content": content}
    return Call("DELETE", "facts", _forgotten, params=params)


def put_memory(agent: str, scope: str, key: str, value: Any, *, name: str = "", **marks: Any) -> Call[Kept]:
    """``name``: an idempotency key, under which it is done once."""
    # First, so that what is no JSON fails before anything is sent, and a mapping's keys are texts as they will come back.
    value = json.loads(json.dumps(value, allow_nan=False))
    body = {"agent": agent, "scope": scope, "key": key, "value": value, **marks}
    headers = {"Idempotency-Key": name} if name else {}

    def read(data: Any) -> Kept:
        return Kept(data["state"], data["id"], data["proposal_id"], data["created"], data["changed"])

    return Call("PUT", "memories", read, body=body, headers=headers, again=bool(name))


def get_memory(agent: str, scope: str, key: str, **read: str) -> Call[Memory]:
    params = {"agent": agent, "scope": scope, "key": key, **read}
    return Call("GET", "memories/value", memory_of, params=params, again=True)


def list_memories(agent: str, scope: str, cursor: str | None, **read: str) -> Call[tuple[list[Memory], str | None]]:
    params = {"agent": agent, "scope": scope, "limit": str(PAGE), **({"cursor": cursor} if cursor else {}), **read}
    return Call(
        "GET", "memories", lambda data: ([memory_of(row) for row in data["memories"]], data["next"]), params, again=True
    )


def list_keys(agent: str, scope: str, cursor: str | None, **read: str) -> Call[tuple[list[str], str | None]]:
    params = {"agent": agent, "scope": scope, "limit": str(PAGE), **({"cursor": cursor} if cursor else {}), **read}
    return Call("GET", "memories/keys", lambda data: (list(data["keys"]), data["next"]), params, again=True)


def list_scopes(agent: str, **read: str) -> Call[list[str]]:
    return Call("GET", "memories/scopes", lambda data: list(data["scopes"]), {"agent": agent, **read}, again=True)


def remove_memory(agent: str, scope: str, key: str) -> Call[Removed]:
    return Call("DELETE", "memories", _removed, {"agent": agent, "scope": scope, "key": key})


def clear_memories(agent: str, scope: str) -> Call[Removed]:
    return Call("DELETE", "memories", _removed, {"agent": agent, "scope": scope, "all": "true"})


def start_dream(
    scope: str, scope_id: str, *, session: str, messages: Sequence[Mapping[str, Any]], name: str = ""
) -> Call[Dream]:
    body = {"scope": scope, "scope_id": scope_id, "session": session, "messages": list(messages)}
    headers = {"Idempotency-Key": name} if name else {}

    def read(data: Any) -> Dream:
        return Dream(data["id"], data["state"], data["created"])

    return Call("POST", "dreams", read, body=body, headers=headers, again=bool(name))


def fact_of(row: Mapping[str, Any]) -> Fact:
    return Fact(
        id=row["id"],
        content=row["content"],
        scope=row["scope"],
        scope_id=row["scope_id"],
        label=row["label"],
        source=row["source"],
        source_trace_id=row["source_trace_id"],
        confidence=row["confidence"],
        said_at=_moment(row["observed_at"]).timestamp(),
        superseded_by=row["superseded_by"],
        raw=row,
    )


def waiting_of(row: Mapping[str, Any]) -> Fact:
    return Fact(
        id=None,
        content=row["content"],
        scope=row["scope"],
        scope_id=row["scope_id"],
        label=row["label"],
        source=row["source"],
        source_trace_id=None,
        confidence=row["confidence"],
        said_at=_moment(row["observed_at"]).timestamp(),
        superseded_by=None,
        waits=True,
        raw=row,
    )


def memory_of(row: Mapping[str, Any]) -> Memory:
    return Memory(row["key"], row["value"], row["id"], _moment(row["updated_at"]), row["waits"])


def answer(call: Call[T], response: httpx.Response) -> T:
    """What the answer says. Raises one of the errors."""
    if 200 <= response.status_code < 300:
        try:
            return call.read(response.json())
        except (ValueError, KeyError, TypeError) as error:
            text = "The memory service gave an answer that can't be read."
            raise UnexpectedAnswer(text, code="unexpected_answer", status=response.status_code) from error
    raise error_of(response)


def error_of(response: httpx.Response) -> MemoryPlaneError:
    """The error of a refusal. Only a problem document of ours is believed: a proxy's 404 is no missing key."""
    status = response.status_code
    try:
        told = response.json()
        ours = isinstance(told, dict) and str(told.get("type", "")).startswith(PROBLEM)
    except ValueError:
        told, ours = {}, False
    seconds = _seconds(response.headers.get("Retry-After", ""))
    if not ours:
        kind = OF_STATUS[status] if status in {429, 502, 503, 504} else UnexpectedAnswer
        text = (
            "The memory service is not available now."
            if kind is not UnexpectedAnswer
            else (f"What answered is not the memory service (status {status}).")
        )
        return kind(
            text,
            code="unavailable" if kind is not UnexpectedAnswer else "unexpected_answer",
            status=status,
            retry_after=seconds,
        )
    code = told["type"].removeprefix(PROBLEM)
    kind = NoSuchKey if code == "no_such_key" else OF_STATUS.get(status, UnexpectedAnswer)
    faults = told.get("errors", [])
    text = str(told.get("detail", "")) or "The memory service refused this."
    if len(faults) > 1 or (faults and faults[0].get("detail") != text):
        text = " ".join(
            [text, *(f"{one.get('pointer') or one.get('parameter')}: {one.get('detail')}" for one in faults)]
        )
    return kind(
        text, code=code, status=status, faults=faults, request_id=str(told.get("instance", "")), retry_after=seconds
    )


def _forgotten(data: Any) -> Forgotten:
    return Forgotten(data["facts"], data["superseded"], data["proposal_id"])


def _removed(data: Any) -> Removed:
    return Removed(data["removed"], data["waiting"], data["kept"])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _seconds(text: str) -> float | None:
    try:
        return max(0.0, float(text))
    except ValueError:
        return None
