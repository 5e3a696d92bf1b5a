"""No page of the console asks the database more than eight things, whatever it shows.

Counted is every statement that reaches the server for one request of somebody who is logged in: the session, the
member with his projects, the binding of the project, the frame, the page's own, and savepoints; only the BEGIN and
COMMIT of the one transaction around it are not. The data is committed, so that no statement comes from a test's own
transaction. Add a page to tests/pages.py, and what it needs to be filled to tests/filled.py.
"""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from apps.access.actions.grant_role import grant_role
from tests.conftest import use_database
from tests.console.stage import give_password
from tests.factories import make_project, make_user, setup_actor
from tests.filled import fill
from tests.pages import PAGES, addresses
from tests.routes import CONSOLE
from tests.servers import WORKER, clone, drop

MOST = 8
REFUSED = {
    "/account/oidc/callback": 404,
    "/p/{slug}/facts/999999": 404,
    "/p/{slug}/dreams/999999": 404,
    "/p/{slug}/time-travel?at=soon": 422,
    "/p/{slug}/sessions/{session_id}?window=many": 422,
}
"""Those that show what is wrong."""


@pytest.fixture(scope="module")
def seen(django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, tuple[int, list[str]]]]:
    """The status and the statements of every page, by its name in tests/pages.py; of one walk over all of them."""
    name, before = f"mp_{WORKER}_pages", connection.settings_dict["NAME"]
    clone(name)
    with django_db_blocker.unblock():
        use_database(name)
        try:
            yield walk()
        finally:
            use_database(before)
            drop(name)


def walk() -> dict[str, tuple[int, list[str]]]:
    project = make_project("acme", "Acme Support")
    user = make_user(project, "curator")
    values = fill(project, user)
    make_project("other")
    for role in ("admin", "privacy_officer"):
        grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=role)
    client = Client()
    client.force_login(user)
    give_password(client, user)
    found = {}
    for name, address in addresses(values):
        client.get(address)  # what a process looks up once and keeps
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address)
        sent = [query["sql"] for query in captured.captured_queries if query["sql"] not in {"BEGIN", "COMMIT"}]
        found[name] = (response.status_code, sent)
    return found


def test_every_page_is_counted() -> None:
    assert {route for route, methods in CONSOLE.items() if "GET" in methods} == set(PAGES)


def test_every_page_opens(seen: dict[str, tuple[int, list[str]]]) -> None:
    assert {name: status for name, (status, _) in seen.items() if status not in {200, 302}} == REFUSED


def test_no_page_asks_more(seen: dict[str, tuple[int, list[str]]]) -> None:
    found = {name: sent for name, (_, sent) in seen.items() if len(sent) > MOST}
    for name, sent in found.items():
        print(f"\n{name}: {len(sent)}", *(one[:160] for one in sent), sep="\n  ")
    assert {name: len(sent) for name, sent in found.items()} == {}


def test_the_frame_takes_four(seen: dict[str, tuple[int, list[str]]]) -> None:
    """Session, member with his projects, binding, and what it says of the project; the form itself asks for names."""
    parts = ("django_session", "access_user", "set_config", "tenancy_agent", "facts_category", "queue.dead")
    _, sent = seen["/p/{slug}/facts/new"]
    assert [next((part for part in parts if part in one), one) for one in sent] == list(parts)
