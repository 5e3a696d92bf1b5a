"""A connection answers every kind of read after every other: what its functions prepared for one fits the next."""

from typing import Any

import pytest
from django.db import connections

from apps.core.clock import now
from apps.tenancy.models import Project
from tests.api.helpers import get
from tests.factories import make_agent, make_fact, make_key, make_project

ALL = ["facts:read", "facts:read:user", "facts:explain", "facts:history"]
KINDS: list[dict[str, Any]] = [
    {},
    {"query": "How long do refunds take?"},
    {"query": "How long do refunds take?", "explain": "true"},
    {"explain": "true"},
    {"at": "now"},
    {"at": "now", "explain": "true"},
    {"at": "now", "query": "How long do refunds take?"},
    {"user_id": "lovelace"},
    {"user_id": "lovelace", "at": "now", "explain": "true", "query": "trains"},
    {"category": "general", "limit": "1", "explain": "true"},
]


@pytest.fixture
def project(fresh_db: str) -> Project:
    project = make_project("acme")
    agent = make_agent(project, "support")
    for n in range(3):
        make_fact(project, f"Refunds take {n} days.", agent=agent)
    make_fact(project, "Prefers trains.", user="lovelace")
    return project


@pytest.mark.parametrize("first", range(len(KINDS)))
def test_every_read_is_answered_after_every_other(project: Project, first: int) -> None:
    _, key = make_key(project, ALL)
    connections["default"].close()
    for kind in [KINDS[first], *KINDS, *reversed(KINDS)]:
        asked = kind | ({"at": f"{now():%Y-%m-%dT%H:%M:%S.%fZ}"} if "at" in kind else {})
        answer = get("memory/facts", key, agent_id="support", **asked)
        assert answer.status_code == 200, (KINDS[first], kind, answer.content)


def test_a_read_is_answered_after_a_refusal_on_its_connection(project: Project) -> None:
    """A rollback has the driver deallocate what its connection had prepared."""
    _, key = make_key(project, ALL)
    connections["default"].close()

    def read(**asked: str) -> int:
        return get("memory/facts", key, agent_id="support", **asked).status_code

    for _ in range(2):
        assert [read(), read(query="How long do refunds take?")] == [200, 200]
        assert get("facts/999999999", key).status_code == 404
        assert [read(), read(), read(query="How long do refunds take?"), read()] == [200] * 4
