"""Requests of one tenant, and the same asked by another: with its ids, and with ids of nobody."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpResponse
from django.test import Client

from tests.api.helpers import call
from tests.isolation.world import Tenant
from tests.routes import API, CONSOLE, CONSOLE_FORMS, HOSTED, methods_of

# What stands for an id that nobody has, by its name in the routes.
NOBODYS = {
    "proposal_id": "0190a000-0000-7000-8000-000000000000",
    "agent_id": "0190a000-0000-7000-8000-000000000001",
    "request_id": "0190a000-0000-7000-8000-000000000002",
    "change_id": "0190a000-0000-7000-8000-000000000003",
    "trace_id": "f" * 32,
    "domain_id": "p-nobody",
    "slug": "p-nobody",
    "agent": "agent-nobody",
    "user": "user-nobody",
    "key": "one-nobody",
    "token": "nobody",
}
NUMBER = "999999999"
# What differs from one answer to the next: tokens against forgery, ids of requests, and the address that was asked.
_VARYING = re.compile(
    r"(?<=csrf-token\" content=\")[^\"]+|(?<=csrfmiddlewaretoken\" value=\")[^\"]+|(?<=\"X-CSRFToken\": \")[^\"]+"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)


def nobodys(name: str) -> str:
    return NOBODYS.get(name, NUMBER)


def parts_of(route: str) -> list[str]:
    return [name for name in re.findall(r"<\w+:(\w+)>", route) if name != "slug"]


@dataclass(frozen=True)
class Asked:
    """A request to the console: the route, the method, and what is posted."""

    route: str
    method: str

    def __str__(self) -> str:
        return f"{self.method} /{self.route}"


def of_console() -> list[Asked]:
    """Every route of a project with an id in it; the values of the form are swapped with those of the address."""
    return [
        Asked(route, method)
        for route, methods in CONSOLE.items()
        for method in methods
        if route.startswith(("p/<slug:slug>", "next/")) and parts_of(route)
    ]


def ask_console(browser: Client, asked: Asked, slug: str, values: dict[str, str]) -> HttpResponse:
    """The request with these ids, in the project ``slug``."""
    filled = {**values, "slug": slug}
    path = "/" + re.sub(r"<\w+:(\w+)>", lambda found: quote(filled[found[1]], safe=""), asked.route)
    if asked.method == "GET":
        return browser.get(path)  # type: ignore[return-value]
    form = {name: value.format(**filled) for name, value in CONSOLE_FORMS.get(asked.route, {}).items()}
    return browser.post(path, form)  # type: ignore[return-value]


def swapped(route: str, mine: Tenant, foreign: dict[str, str]) -> dict[str, str]:
    """The asker's own values, but for those that name something in the route."""
    return mine.values | {name: foreign[name] for name in parts_of(route)} | {"seen": "x"}


def plain(response: HttpResponse) -> tuple[int, str]:
    """Status and body without what differs from request to request."""
    return response.status_code, steady(response.content.decode())


def steady(body: str) -> str:
    """A body without what differs from request to request."""
    return _VARYING.sub("#", body)


def leaks(response: HttpResponse, word: str) -> bool:
    """Whether a canary stands anywhere in an answer."""
    head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return word in content_of(response) or word in head or word in str(response.cookies)


def content_of(response: HttpResponse) -> str:
    """The body, read to its end where it is made while it is sent."""
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    return body.decode("utf-8", "replace")


@dataclass(frozen=True)
class Request:
    """A request to the API: `path` and `params` hold `{fact_id}` and the like."""

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} {dict(self.params) or ''} {self.body}".strip()

    def ask(self, key: str, values: dict[str, str]) -> HttpResponse:
        def filled(text: str) -> str:
            return re.sub(r"\{(\w+)\}", lambda found: values[found[1]] if found[1] in values else found[0], text)

        body = filled(self.body).encode() if self.body else None
        asked = urlencode({name: filled(value) for name, value in self.params})
        path = f"{filled(self.path)}?{asked}"
        return call(self.method, path, key, raw=body, prefix="/v1/", headers=dict(self.headers))


# Requests of the API that name something of a project, with what names it; the answer to one of nobody's is the answer to
# one of somebody else's.
NAMING: dict[str, list[Request]] = {
    "facts/<int:fact_id>": [
        Request("GET", "facts/{fact_id}"),
        Request("PATCH", "facts/{fact_id}", body='{"content":"Is else."}', headers=(("If-Match", "*"),)),
        Request("DELETE", "facts/{fact_id}"),
    ],
    "facts/<int:fact_id>/supersede": [
        Request("POST", "facts/{fact_id}/supersede", body='{"by":{own_fact}}'),
        Request("POST", "facts/{own_fact}/supersede", body='{"by":{fact_id}}'),
    ],
    "dreams/<int:run_id>": [Request("GET", "dreams/{run_id}")],
    "memory/facts": [
        Request("GET", "memory/facts", (("agent_id", "{agent}"),)),
        Request("GET", "memory/facts", (("agent_id", "{agent_id}"),)),
        Request("GET", "memory/facts", (("agent_id", "{own_agent}"), ("user_id", "{user}"))),
    ],
    "facts": [
        Request("GET", "facts", (("agent_id", "{agent}"),)),
        Request("GET", "facts", (("scope", "user"), ("user_id", "{user}"))),
        Request("GET", "facts", (("scope", "agent"), ("scope_id", "{agent}"))),
        Request("DELETE", "facts", (("scope", "user"), ("scope_id", "{user}"), ("all", "true"))),
        Request("DELETE", "facts", (("scope", "agent"), ("scope_id", "{agent}"), ("all", "true"))),
    ],
    "memories": [
        Request("GET", "memories", (("agent", "{agent}"), ("scope", "user:{user}"))),
        Request("GET", "memories", (("agent", "{agent_id}"), ("scope", "user:{user}"))),
        Request("DELETE", "memories", (("agent", "{agent}"), ("scope", "user:{user}"), ("key", "{key}"))),
        Request("DELETE", "memories", (("agent", "{agent}"), ("scope", "user:{user}"), ("all", "true"))),
    ],
    "memories/value": [Request("GET", "memories/value", (("agent", "{agent}"), ("scope", "user:{user}"), ("key", "{key}")))],
    "memories/keys": [Request("GET", "memories/keys", (("agent", "{agent}"), ("scope", "user:{user}")))],
    "memories/scopes": [Request("GET", "memories/scopes", (("agent", "{agent}"),))],
    "dreams": [
        Request("GET", "dreams", (("scope", "agent"), ("scope_id", "{agent}"))),
        Request("POST", "dreams", body='{"scope":"agent","scope_id":"{agent}"}'),
        Request("POST", "dreams", body='{"scope":"user","scope_id":"{user}"}'),
        Request("POST", "dreams", body='{"scope":"project","session":"{session}"}'),
    ],
    "privacy/opened": [Request("GET", "privacy/opened", (("id", "{request_id}"),))],
}  # fmt: skip
NAMELESS = {
    "auth/check", "policy", "governance/enroll", "sdk/agents", "memory/revocations", "keys/revoke", "traces/ingest", "traces",
    "privacy/requests", "sessions/<path:session_id>/messages",
}  # fmt: skip
"""Routes that name nothing that is there: what they say makes something new in the key's own project."""


def of_api() -> Iterator[Request]:
    assert set(NAMING) | NAMELESS == set(API), "a route of the API names something, or nothing: say which"
    for route, requests in NAMING.items():
        assert {one.method for one in methods_of(API[route])} <= {one.method for one in requests} | {
            "POST",
            "PUT",
            "GET",
        }
        yield from requests


def foreign_values(mine: Tenant, foreign: dict[str, str]) -> dict[str, str]:
    own = {"own_fact": mine.values["fact_id"], "own_agent": mine.values["agent"]}
    return {**foreign, **own, "session": foreign.get("session", f"chat-{foreign['agent']}")}


NOBODY = {
    name: nobodys(name) for name in ("fact_id", "run_id", "agent", "agent_id", "user", "key", "request_id", "session")
}

HOSTED_BODIES: dict[str, dict[str, Any]] = {
    "domains/<str:domain_id>/projects": {},
    "api-keys": {"name": "k", "domain_id": "{domain_id}", "scopes": ["facts:read"]},
    "agents/<str:agent_id>/memories": {"content": "Is new."},
    "agents/<str:agent_id>/memories/<int:fact_id>/redact": {},
}
HOSTED_NAMELESS = {"auth/login", "users/me/domains"}


def of_hosted() -> Iterator[tuple[str, str]]:
    assert set(HOSTED_BODIES) | HOSTED_NAMELESS == set(HOSTED)
    for route in HOSTED_BODIES:
        yield HOSTED[route][0], route


def ask_hosted(token: str, method: str, route: str, values: dict[str, str]) -> HttpResponse:
    path = re.sub(r"<\w+:(\w+)>", lambda found: quote(values[found[1]], safe=""), route)
    body = json.dumps(HOSTED_BODIES[route]).replace("{domain_id}", values["domain_id"]).encode()
    sent = {"Authorization": f"Bearer {token}"}
    return call(method, path, raw=body, prefix="/api/v1/", headers=sent)
