"""A project with an agent, for the API's tests."""

import pytest

from apps.tenancy.models import Agent, Project
from tests.factories import make_agent, make_project


@pytest.fixture
def project(request: pytest.FixtureRequest) -> Project:
    """In the rolled-back database, unless the test has a fresh one."""
    committed = {"fresh_db", "server"} & set(request.fixturenames)
    request.getfixturevalue("fresh_db" if committed else "db")
    return make_project("acme")


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")
