"""Who may call what: every route of the product, one row each. tests/api/test_routes.py walks the URL configuration
and fails for a route that has no row here, and for a row that has no route.

API rows say which scopes open a route for a key; every other key gets 403, nobody 401, every other method 405.
CONSOLE rows say the status each caller gets, in the order of CALLERS, for each method a route knows; every other
method gets 405 from whoever gets past the door.
"""

from dataclasses import dataclass
from typing import Any

from apps.access.scopes import SCOPES


@dataclass(frozen=True, kw_only=True)
class ApiRoute:
    """`ok` is the status for a key that may, asking with `params` and `body`; `scopeless`: so may a key without any
    scope."""

    method: str
    scopes: tuple[str, ...]
    ok: int = 200
    scopeless: bool = False
    params: dict[str, str] | None = None
    body: Any = None


ANY_SCOPE = tuple(SCOPES)

# Relative to /public/v1/ and /v1/, which are one configuration.
API: dict[str, ApiRoute] = {
    "auth/check": ApiRoute(method="GET", scopes=ANY_SCOPE, scopeless=True),
    "policy": ApiRoute(method="GET", scopes=ANY_SCOPE, scopeless=True),
    "governance/enroll": ApiRoute(
        method="POST", scopes=("agent:write", "facts:read", "traces:write"), body={"instance_id": "e5be95db"}
    ),
    "sdk/agents": ApiRoute(method="POST", scopes=("agent:write",), ok=201, body={"name": "another"}),
    "memory/facts": ApiRoute(method="GET", scopes=("facts:read",), params={"agent_id": "support"}),
    "traces/ingest": ApiRoute(method="POST", scopes=("traces:write",), body={"spans": []}),
    "keys/revoke": ApiRoute(method="POST", scopes=ANY_SCOPE, body={}),
}

# Answered to anybody, with no more said than whether the process works.
OPEN = {"healthz": ("GET", 200), "readyz": ("GET", 200)}

CALLERS = ("anonymous", "stranger", "viewer", "curator", "privacy_officer", "admin", "auditor")

# Route as Django spells it → method → the status for each of CALLERS.
CONSOLE: dict[str, dict[str, tuple[int, int, int, int, int, int, int]]] = {}

# What is posted where a form needs more than its token; `{fact_id}` and the like stand for the route's own values.
CONSOLE_FORMS: dict[str, dict[str, str]] = {}
