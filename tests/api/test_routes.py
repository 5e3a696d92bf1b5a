"""Role × URL × method: every route has its row in tests/routes.py, and every key gets what its row says.

The rows for people are walked in tests/console/test_routes.py.
"""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from apps.access.scopes import SCOPES
from apps.tenancy.models import Project
from tests.api.helpers import call
from tests.factories import make_agent, make_key
from tests.routes import API, CONSOLE, HOSTED, OPEN, ApiRoute, api_rows

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
    expected |= {f"api/v1/{path}" for path in (*HOSTED, "^")}
    assert sorted(set(found) - expected) == [], "routes without a row in tests/routes.py"
    assert sorted(expected - set(found)) == [], "rows in tests/routes.py without a route"


def key_cases() -> list[tuple[str, ApiRoute, str | None, int]]:
    """(path, route, scope, expected): the scope "" is a key without any, None no key at all."""
    cases: list[tuple[str, ApiRoute, str | None, int]] = []
    for path, route in api_rows():
        cases += [(path, route, None, 401), (path, route, "", route.ok if route.scopeless else 403)]
        cases += [(path, route, scope, route.ok if scope in route.scopes else 403) for scope in SCOPES]
    return cases


@pytest.mark.parametrize(("path", "route", "scope", "expected"), key_cases())
def test_what_a_key_may(project: Project, path: str, route: ApiRoute, scope: str | None, expected: int) -> None:
    make_agent(project, "support")
    for prefix in PREFIXES:
        key = None if scope is None else make_key(project, [scope] if scope else [], write_mode=route.write_mode)[1]
        body = {**route.body, "name": prefix} if "name" in (route.body or {}) else route.body
        response = call(
            route.method, path, key, body, prefix=f"/{prefix}", headers=route.headers, **(route.params or {})
        )
        second = prefix != PREFIXES[0] and expected == 202
        assert response.status_code == ((route.again or 200) if second else expected), response.content
        known = {row.method for at, row in api_rows() if at == path}
        for method in METHODS:
            if method not in known:
                assert call(method, path, key, prefix=f"/{prefix}").status_code == 405


@pytest.mark.parametrize(("path", "row"), OPEN.items())
def test_what_anybody_may(db: None, path: str, row: tuple[str, int]) -> None:
    method, expected = row
    assert Client().generic(method, f"/{path}").status_code == expected
