"""The JSON of facts and memories that clients write, as schemas."""

from apps.access.models import SENSITIVITIES
from apps.api.openapi.schemas import TEXT, Schema, object_
from apps.curation.writing import SOURCES as WRITTEN_SOURCES
from apps.facts.models import MEMORY_TYPES, SCOPES, SOURCES

_MOMENT: Schema = {"type": "string", "format": "date-time"}
_WHEN: Schema = {**_MOMENT, "nullable": True}
_ID: Schema = {"type": "integer", "minimum": 1}
_MAYBE_ID: Schema = {**_ID, "nullable": True}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_NAMES: Schema = {"type": "array", "nullable": True, "items": TEXT, "description": "Null for any"}
_PROPOSAL: Schema = {"type": "string", "format": "uuid", "nullable": True, "description": "What waits for a person"}
COUNTS = ["facts", "superseded", "evidence", "proposals", "tellings"]


def _text(length: int, **more: object) -> Schema:
    return {"type": "string", "maxLength": length, **more}


def _all(properties: Schema) -> Schema:
    return object_(properties, *properties)


NEW_FACT = object_(
    {
        "scope": {"type": "string", "enum": SCOPES},
        "scope_id": _text(
            255, description="an agent's name, a user's or session's id; of a project its slug, or nothing"
        ),
        "agent": _text(200, description="the agent through which alone it is told"),
        "label": _text(255, description="a client's own partition: reads that don't name it are not told"),
        "content": _text(2000, minLength=1, description="one line"),
        "category": _text(60, default="general"),
        "memory_type": {"type": "string", "enum": MEMORY_TYPES, "default": "semantic"},
        "confidence": {**_SHARE, "default": 1.0},
        "importance": {**_SHARE, "default": 0.5},
        "sensitivity": {
            "type": "string",
            "enum": SENSITIVITIES,
            "description": "at least; what is found in it may raise it",
        },
        "source": {"type": "string", "enum": WRITTEN_SOURCES, "default": "agent"},
        "source_trace_id": _text(32, description="kept if that trace is here"),
        "observed_at": {**_MOMENT, "description": "when it was said, from 1970 on; now, if left out"},
        "expires_at": _MOMENT,
    },
    "scope",
    "content",
)
CHANGED_FACT: Schema = {
    **object_(
        {
            "content": _text(2000, minLength=1, description="one line"),
            "category": _text(60, minLength=1),
            "memory_type": {"type": "string", "enum": MEMORY_TYPES},
            "confidence": _SHARE,
            "importance": _SHARE,
            "sensitivity": {"type": "string", "enum": SENSITIVITIES, "description": "never less than before"},
            "expires_at": _MOMENT,
        }
    ),
    "minProperties": 1,
}
WRITTEN = _all(
    {
        "id": {**_MAYBE_ID, "description": "null while it waits"},
        "created": {"type": "boolean"},
        "state": {"type": "string", "enum": ["told", "closed", "waiting", "held"]},
        "proposal_id": _PROPOSAL,
    }
)
FORGOTTEN = _all(dict.fromkeys(COUNTS, _COUNT) | {"proposal_id": _PROPOSAL})
SUPERSEDE = object_({"by": {**_ID, "description": "the fact that holds instead"}}, "by")
SUPERSEDED = _all({"id": _ID, "proposal_id": _PROPOSAL})
FACT = _all(
    {
        "id": _ID,
        "content": _text(2000),
        "scope": {"type": "string", "enum": SCOPES},
        "scope_id": TEXT,
        "label": TEXT,
        "key": {**TEXT, "nullable": True, "description": "null for a statement"},
        "value": {"description": "any JSON; null for a statement", "nullable": True},
        "agent_id": {"type": "string", "format": "uuid", "nullable": True},
        "attribute": {**TEXT, "nullable": True},
        "category": TEXT,
        "memory_type": {"type": "string", "enum": MEMORY_TYPES},
        "confidence": _SHARE,
        "importance": _SHARE,
        "trust": {"type": "integer", "minimum": 0, "maximum": 5},
        "sensitivity": {"type": "string", "enum": SENSITIVITIES},
        "purposes": _NAMES,
        "task_types": _NAMES,
        "source": {"type": "string", "enum": SOURCES},
        "source_trace_id": {**TEXT, "nullable": True},
        "observed_at": _MOMENT,
        "approved_at": _MOMENT,
        "updated_at": _MOMENT,
        "expires_at": _WHEN,
        "valid_from": _WHEN,
        "valid_to": _WHEN,
        "corroborations": _COUNT,
        "superseded_by": {**_MAYBE_ID, "description": "null too where the newer version is not for this key"},
        "superseded_at": _WHEN,
        "retired_at": _WHEN,
        "contested_since": _WHEN,
        "held_since": _WHEN,
    }
)
_ANY: Schema = {"description": "any JSON, null too", "nullable": True}
_NAME: Schema = _text(270, minLength=1, description="`user:<id>`, `session:<id>`, or any other name")
NEW_MEMORY = object_(
    {
        "agent": _text(200, minLength=1, description="its name or id"),
        "scope": _NAME,
        "key": _text(512, description="taken as it is; may be empty"),
        "value": _ANY,
        "category": _text(60, default="general"),
        "sensitivity": {
            "type": "string",
            "enum": SENSITIVITIES,
            "description": "at least; what is found in it may raise it",
        },
    },
    "agent",
    "scope",
    "key",
    "value",
)
PUT = _all(
    {
        "state": {
            "type": "string",
            "enum": ["told", "waiting", "held", "operational", "done"],
            "description": "`done`: this was written before under the same Idempotency-Key, and is no fact",
        },
        "id": {**_MAYBE_ID, "description": "of the fact, if it is one"},
        "proposal_id": _PROPOSAL,
        "created": {"type": "boolean"},
        "changed": {"type": "boolean"},
    }
)
MEMORY = _all(
    {
        "key": TEXT,
        "value": _ANY,
        "id": {**_MAYBE_ID, "description": "null for what is no fact"},
        "updated_at": _MOMENT,
        "waits": {"type": "boolean", "description": "for a person; only its writer reads it"},
    }
)
_NEXT: Schema = {**TEXT, "nullable": True, "description": "null at the end"}
MEMORIES = _all({"memories": {"type": "array", "items": MEMORY}, "next": _NEXT})
KEYS = _all({"keys": {"type": "array", "items": TEXT}, "next": _NEXT})
SCOPES_OF = _all({"scopes": {"type": "array", "items": TEXT}})
REMOVED = _all(
    {
        "removed": _COUNT,
        "waiting": {**_COUNT, "description": "of these, until a person decides"},
        "kept": {**_COUNT, "description": "what a person answers for or holds"},
    }
)
