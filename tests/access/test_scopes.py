"""The table of scopes beside the URL configuration: every route a scope says it opens, and every one it does open."""

from urllib.parse import parse_qsl

import pytest

from apps.access.scopes import ANY_KEY, ANY_SCOPE, SCOPES
from apps.tenancy.models import Project
from tests.api.helpers import call
from tests.factories import make_agent, make_key, make_project
from tests.routes import API, ApiRoute, methods_of

# What tests/api/test_routes.py asks of the product and holds beside the URL configuration.
ROWS: dict[str, ApiRoute] = {f"{row.method} {path}": row for path, route in API.items() for row in methods_of(route)}
ALSO = [(scope, question) for scope, one in SCOPES.items() for question in one.also]
VALUES = {"user_id": "lovelace", "at": "2026-01-01T00:00:00Z"}


def test_the_table_is_what_the_routes_do() -> None:
    opened = {name: {scope for scope, one in SCOPES.items() if name in one.routes} for name in ROWS}
    assert {route for one in SCOPES.values() for route in one.routes} | set(ANY_KEY) | set(ANY_SCOPE) == set(ROWS)
    for name, row in ROWS.items():
        if name in ANY_KEY:
            assert row.scopeless and not opened[name], name
        elif name in ANY_SCOPE:
            assert not row.scopeless and set(row.scopes) == set(SCOPES) and not opened[name], name
        else:
            assert not row.scopeless and opened[name] == set(row.scopes), name


def test_every_scope_opens_something_and_says_what() -> None:
    for scope, one in SCOPES.items():
        assert one.does and (one.routes or one.also), scope
        assert {question.partition("?")[0] for question in one.also} <= set(ROWS), scope


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.mark.parametrize(("scope", "question"), ALSO)
def test_what_a_scope_opens_beside_others(project: Project, scope: str, question: str) -> None:
    route, _, query = question.partition("?")
    method, _, path = route.partition(" ")
    asked = {name: value or VALUES[name] for name, value in parse_qsl(query, keep_blank_values=True)}
    params = (ROWS[route].params or {}) | asked | ({"scope": "user"} if "scope_id" in asked else {})
    everything = make_key(project, SCOPES)[1]
    without = make_key(project, [one for one in SCOPES if one != scope])[1]
    assert call(method, path, everything, **params).status_code == 200
    refused = call(method, path, without, **params)
    assert refused.status_code == 403 and scope.encode() in refused.content
