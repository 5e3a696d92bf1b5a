"""The JSON of dream runs and of sessions' messages, as schemas."""

from apps.api.openapi.schemas import TEXT, TEXTS, Schema, object_
from apps.dreaming.diff import GROUPS
from apps.dreaming.models import ENGINES, FLAGS, OPERATIONS, ORIGINS, ROLES, STOPS
from apps.dreaming.states import CHANGE_STATES, PHASES, RUN_STATES
from apps.facts.models import SCOPES
from apps.traces.models import SESSION_ROLES

_MOMENT: Schema = {"type": "string", "format": "date-time"}
_MAYBE_MOMENT: Schema = {**_MOMENT, "nullable": True}
_MAYBE_TEXT: Schema = {**TEXT, "nullable": True}
_ID: Schema = {"type": "integer", "minimum": 1}
_MAYBE_ID: Schema = {**_ID, "nullable": True}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_CURSOR: Schema = {**TEXT, "nullable": True, "description": "null at an end"}


def _all(properties: Schema) -> Schema:
    """An object that has every one of these."""
    return object_(properties, *properties)


MESSAGE = object_(
    {
        "id": {"type": "string", "minLength": 1, "maxLength": 120, "description": "the client's own, in the session"},
        "role": {"type": "string", "enum": SESSION_ROLES},
        "content": {"type": "string", "maxLength": 200_000},
        "at": _MOMENT,
        "stands_for": {**TEXTS, "description": "of a summary: ids of the messages it replaces"},
    },
    "role",
    "content",
)
MESSAGES = object_(
    {
        "user_id": {"type": "string", "maxLength": 255, "description": "whose session it is"},
        "messages": {"type": "array", "minItems": 1, "maxItems": 1000, "items": MESSAGE},
    },
    "messages",
)
KEPT = _all(
    {
        "stored": {**_COUNT, "description": "those that were not there before"},
        "masked": {**_COUNT, "description": "secrets in them that were masked"},
        "dropped": {**_COUNT, "description": "those said before somebody was erased; they come back no more"},
    }
)
START = object_(
    {
        "scope": {"type": "string", "enum": SCOPES},
        "scope_id": {"type": "string", "maxLength": 255, "description": "an agent's name, a user's or session's id"},
        "session": {"type": "string", "maxLength": 255, "description": "whose messages the run reads"},
        "messages": {"type": "array", "maxItems": 1000, "items": MESSAGE},
        "dry_run": {"type": "boolean", "default": False},
    },
    "scope",
)
STARTED = _all({"id": _ID, "state": {"type": "string", "enum": RUN_STATES}, "created": {"type": "boolean"}})

_RUN: Schema = {
    "id": _ID,
    "scope": {"type": "string", "enum": SCOPES},
    "scope_id": TEXT,
    "session": _MAYBE_TEXT,
    "origin": {"type": "string", "enum": ORIGINS},
    "dry_run": {"type": "boolean"},
    "engine": {"type": "string", "enum": ENGINES},
    "state": {"type": "string", "enum": RUN_STATES},
    "phase": {"type": "string", "enum": [*PHASES, None], "nullable": True},
    "facts_before": {
        "type": "integer",
        "minimum": 0,
        "nullable": True,
        "description": "null unless the key may know all facts",
    },
    "counts": {
        "type": "object",
        "description": "changes by their state",
        "additionalProperties": {"type": "integer", "minimum": 1},
    },
    "tool_calls": _COUNT,
    "prompt_tokens": _COUNT,
    "completion_tokens": _COUNT,
    "cost": {"type": "number", "nullable": True},
    "stop_reason": {"type": "string", "enum": STOPS, "description": "why it ended early with what it had"},
    "error": {**TEXT, "description": "of a failed run, else empty"},
    "created_at": _MOMENT,
    "finished_at": _MAYBE_MOMENT,
}
RUNS = _all({"runs": {"type": "array", "items": _all(_RUN)}, "next": _CURSOR, "previous": _CURSOR})
_PHASE = _all(
    {
        "name": {"type": "string", "enum": PHASES},
        "state": {"type": "string", "enum": ["running", "done", "failed", "skipped"]},
        "attempts": _COUNT,
        "started_at": _MOMENT,
        "finished_at": _MAYBE_MOMENT,
        "tool_calls": _COUNT,
        "prompt_tokens": _COUNT,
        "completion_tokens": _COUNT,
        "error": TEXT,
    }
)
_CHANGE = _all(
    {
        "id": _ID,
        "group": {"type": "string", "enum": list(GROUPS)},
        "op": {"type": "string", "enum": OPERATIONS},
        "state": {"type": "string", "enum": CHANGE_STATES},
        "safe": {"type": "boolean", "description": "there is nothing to judge in it"},
        "flags": {"type": "array", "items": {"type": "string", "enum": FLAGS}},
        "rule": TEXT,
        "reason": _MAYBE_TEXT,
        "before": {
            "type": "array",
            "items": _all(
                {
                    "fact_id": _ID,
                    "role": {"type": "string", "enum": ROLES, "description": "source: would be closed; keep: stays"},
                    "content": _MAYBE_TEXT,
                    "current": {"type": "boolean"},
                    "superseded_by": _MAYBE_ID,
                }
            ),
        },
        "after": {**_MAYBE_TEXT, "description": "empty where nothing is said anew"},
        "fact_id": {**_MAYBE_ID, "description": "of an applied one: the fact it made or kept"},
        "evidence": {
            "type": "array",
            "items": _all({"fact_id": _MAYBE_ID, "trace_id": _MAYBE_TEXT, "role": _MAYBE_TEXT, "quote": _MAYBE_TEXT}),
        },
        "trust": {"type": "integer", "minimum": 0, "maximum": 5},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "sensitivity": TEXT,
        "why": {**TEXT, "description": "the code for which it could not be applied, else empty"},
        "decided_at": _MAYBE_MOMENT,
    }
)
DIFF = _all(
    _RUN
    | {
        "phases": {"type": "array", "items": _PHASE},
        "changes": {"type": "array", "items": _CHANGE},
        "next": _CURSOR,
        "previous": _CURSOR,
    }
)
