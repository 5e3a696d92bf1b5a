"""Role × URL × method: who gets what on every route, from the table in tests/routes.py."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from apps.access.models import User
from apps.access.scopes import SCOPES
from apps.tenancy.models import Project
from tests.api.helpers import call
from tests.console.stage import learn
from tests.factories import make_agent, make_fact, make_key, make_user
from tests.routes import API, CALLERS, CONSOLE, CONSOLE_FORMS, OPEN, ApiRoute
from tests.spans import trace_id

PREFIXES = ("public/v1/", "v1/")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    """Every route of the configuration, as Django spells it."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def test_every_route_has_its_row_and_every_row_its_route() -> None:
    found = list(routes(get_resolver().url_patterns))
    assert len(found) == len(set(found)), "a route stands twice"
    # Behind each prefix, what is no route of the API is a problem document.
    expected = {prefix + path for prefix in PREFIXES for path in (*API, "^")} | set(OPEN) | set(CONSOLE)
    assert sorted(set(found) - expected) == [], "routes without a row in tests/routes.py"
    assert sorted(expected - set(found)) == [], "rows in tests/routes.py without a route"


def key_cases() -> list[tuple[str, ApiRoute, str | None, int]]:
    """(path, route, scope, expected): the scope "" is a key without any, None no key at all."""
    cases: list[tuple[str, ApiRoute, str | None, int]] = []
    for path, route in API.items():
        cases += [(path, route, None, 401), (path, route, "", route.ok if route.scopeless else 403)]
        cases += [(path, route, scope, route.ok if scope in route.scopes else 403) for scope in SCOPES]
    return cases


@pytest.mark.parametrize(("path", "route", "scope", "expected"), key_cases())
def test_what_a_key_may(project: Project, path: str, route: ApiRoute, scope: str | None, expected: int) -> None:
    make_agent(project, "support")
    for prefix in PREFIXES:
        key = None if scope is None else make_key(project, [scope] if scope else [])[1]
        body = {**route.body, "name": prefix} if route.ok == 201 else route.body
        response = call(route.method, path, key, body, prefix=f"/{prefix}", **(route.params or {}))
        assert response.status_code == expected, response.content
        for method in METHODS:
            if method != route.method:
                assert call(method, path, key, prefix=f"/{prefix}").status_code == 405


@pytest.mark.parametrize(("path", "row"), OPEN.items())
def test_what_anybody_may(db: None, path: str, row: tuple[str, int]) -> None:
    method, expected = row
    assert Client().generic(method, f"/{path}").status_code == expected


def things(project: Project) -> dict[str, str]:
    """One of everything a console route can name, by the name of its place in the route."""
    agent = make_agent(project, "support")
    proposal, *_ = learn(project, "run", "Remember that our refund window is 30 days.")
    return {
        "slug": project.slug,
        "agent_id": str(agent.id),
        "fact_id": str(make_fact(project, "Refunds take five days.").id),
        "proposal_id": str(proposal.id),
        "trace_id": trace_id("run"),
        "key_id": str(make_key(project)[0].id),
        "uidb64": "1",
        "key": "x-1",
    }


def path_of(route: str, values: dict[str, str]) -> str:
    """The path of a route, in either of Django's spellings, with these values in its places."""
    plain = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", route))
    return "/" + re.sub(r"[\^$]", "", plain).format(**values)


@pytest.mark.parametrize("route", CONSOLE)
def test_what_a_person_may(project: Project, settings: Any, route: str) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # six people a route, none logs in
    values = things(project)
    path = path_of(route, values)
    form = {name: text.format(**values) for name, text in CONSOLE_FORMS.get(route, {}).items()}
    callers = people(project)
    rows = CONSOLE[route]
    got = {method: tuple(status_for(user, method, path, form) for user in callers.values()) for method in rows}
    assert got == rows
    # A form view of Django takes PUT for POST.
    others = {"GET", "POST", "PATCH", "DELETE", *(["PUT"] if "POST" not in rows else [])} - set(rows)
    for method in sorted(others):
        for caller, user in callers.items():
            assert status_for(user, method, path, {}) in {302, 403, 404, 405}, (method, caller)


def people(project: Project) -> dict[str, User | None]:
    """Somebody for each of CALLERS; nobody is logged in as the anonymous one."""
    roles: dict[str, list[str]] = {caller: [caller] for caller in CALLERS} | {"stranger": []}
    return {caller: None if caller == "anonymous" else make_user(project, *roles[caller]) for caller in CALLERS}


def status_for(user: User | None, method: str, path: str, form: dict[str, str]) -> int:
    """What the user gets; whatever he changed is undone, so that the next one finds the same."""
    with transaction.atomic():
        client = Client()
        if user is not None:
            client.force_login(user)
        response = client.post(path, form) if method == "POST" else client.generic(method, path)
        transaction.set_rollback(True)
    return response.status_code
