"""The JSON of the API's bodies, as schemas."""

from typing import Any

from apps.access.actions.revoke_key import REASONS
from apps.privacy.models import IDENTITY_KINDS
from apps.privacy.states import KINDS, STATES

Schema = dict[str, Any]


def object_(properties: Schema, *required: str, open_: bool = False) -> Schema:
    """An object with these fields, of which some are required; ``open_``: others are taken too."""
    return {
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
        "additionalProperties": open_,
    }


TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
ANYTHING: Schema = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
FAIL_MODE: Schema = {"type": "string", "enum": ["open", "closed"]}

CHECK = object_({"domain_id": TEXT, "project_id": TEXT, "scopes": TEXTS}, "domain_id", "project_id", "scopes")
POLICY = object_(
    {"version": TEXT, "approval_policies": ANYTHING, "guardrail_rules": ANYTHING},
    "version",
    "approval_policies",
    "guardrail_rules",
)
ENROLL = object_(
    {
        "instance_id": {"type": "string", "minLength": 1, "maxLength": 64},
        "hostname": TEXT,
        "sdk_version": TEXT,
        "fail_mode": FAIL_MODE,
        "governed_agent_ids": TEXTS,
    },
    "instance_id",
    open_=True,
)
ENROLLED = object_({"instance_id": TEXT, "fail_mode": FAIL_MODE}, "instance_id", "fail_mode")
AGENT = object_(
    {
        "name": {"type": "string", "minLength": 1, "maxLength": 200},
        "agent_type": {"type": "string", "default": "single"},
        "system_prompt": TEXT,
    },
    "name",
    open_=True,
)
REGISTERED = object_(
    {
        "id": {"type": "string", "format": "uuid"},
        "name": TEXT,
        "version": {"type": "integer", "minimum": 1},
        "project_id": TEXT,
    },
    "id",
    "name",
    "version",
    "project_id",
)
REVOKE = object_({"reason": {"type": "string", "enum": REASONS, "default": "leaked"}})
REVOKED = object_({"revoked_at": {"type": "string", "format": "date-time"}}, "revoked_at")

OPEN_REQUEST = object_(
    {
        "kind": {"type": "string", "enum": KINDS},
        "user_id": {"type": "string", "minLength": 1, "maxLength": 255, "description": "whom it is about; never `*`"},
        "identities": {
            "type": "array",
            "maxItems": 20,
            "description": "further ids, addresses and names to look for",
            "items": object_(
                {
                    "kind": {"type": "string", "enum": IDENTITY_KINDS},
                    "value": {"type": "string", "minLength": 1, "maxLength": 255},
                },
                "kind",
                "value",
            ),
        },
        "message": {"type": "string", "maxLength": 4000, "description": "in the user's words"},
        "fact_id": {"type": "integer", "minimum": 1, "description": "of a correction: the fact that is wrong"},
        "correction": {"type": "string", "maxLength": 2000, "description": "of a correction: what is right"},
    },
    "kind",
    "user_id",
)
_MOMENT: Schema = {"type": "string", "format": "date-time"}
PRIVACY_REQUEST = object_(
    {
        "id": {"type": "string", "format": "uuid"},
        "number": {"type": "integer", "minimum": 1},
        "kind": {"type": "string", "enum": KINDS},
        "state": {"type": "string", "enum": STATES},
        "received_at": _MOMENT,
        "due_at": _MOMENT,
        "finished_at": {**_MOMENT, "nullable": True},
    },
    "id",
    "number",
    "kind",
    "state",
    "received_at",
    "due_at",
    "finished_at",
)
PRIVACY_REQUESTS = object_({"requests": {"type": "array", "items": PRIVACY_REQUEST}}, "requests")

PROBLEM: Schema = {
    "description": "RFC 9457. `type` is stable and ends in the code; `instance` is the request's id, as in the header "
    "X-Request-ID and in the server's log. No value that was sent is ever repeated.",
    **object_(
        {
            "type": {"type": "string", "format": "uri", "example": "urn:memoryplane:problem:invalid_key"},
            "title": TEXT,
            "status": {"type": "integer"},
            "detail": TEXT,
            "instance": TEXT,
            "errors": {
                "type": "array",
                "items": object_(
                    {
                        "pointer": {"type": "string", "description": "RFC 6901, into the body"},
                        "parameter": {"type": "string", "description": "of the query string"},
                        "code": TEXT,
                        "detail": TEXT,
                    },
                    "code",
                    "detail",
                ),
            },
        },
        "type",
        "title",
        "status",
        "detail",
        "instance",
    ),
}


def answers(good: dict[int, Schema], *refusals: int) -> dict[Any, Schema]:
    """The answers of a view in drf-spectacular's form; 400, 401 and 503 are everybody's."""
    problem = {"$ref": "#/components/schemas/Problem"}
    return {
        **{(status, "application/json"): schema for status, schema in good.items()},
        **{(status, "application/problem+json"): problem for status in sorted({400, 401, 503, *refusals})},
    }
