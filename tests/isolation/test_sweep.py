"""A canary in each project, looked for in every answer that every other project's key gets; and threads that share connections.

10 projects; 100 in `make faults`.
"""

import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from apps.recall.serving import forget_kept
from tests.api.helpers import call
from tests.conftest import own_database
from tests.faults.scale import report, scaled
from tests.isolation.swapping import leaks
from tests.isolation.world import Tenant, api_reads, tenants
from tests.pages import PAGES

PROJECTS = scaled("PROJECTS", 10, 100)
THREADS, POOL = 16, 2
ROUNDS = scaled("ROUNDS", 2, 20)


@pytest.fixture(scope="module")
def many(django_db_blocker: DjangoDbBlocker) -> Iterator[list[Tenant]]:
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch):
        yield tenants(PROJECTS)


def others(all_: list[Tenant], mine: Tenant) -> list[str]:
    return [one.canary for one in all_ if one is not mine]


def test_no_key_reads_another_projects_canary(many: list[Tenant]) -> None:
    """Each asks with the names, ids and words of each other project; that they are found with the own key is the control."""
    asked = found = 0
    leaked = []
    for theirs in many:
        paths = api_reads(theirs)
        own = [leaks(call("GET", path, theirs.keys["direct"], prefix="/v1/"), theirs.canary) for path in paths]
        found += sum(own)
        for mine in many:
            if mine is theirs:
                continue
            for path in paths:
                response = call("GET", path, mine.keys["direct"], prefix="/v1/")
                asked += 1
                assert response.status_code < 500, (path, response.content)
                if leaks(response, theirs.canary):
                    leaked.append(f"{path} of {theirs.project.slug} by {mine.project.slug}")
    report("canary sweep", projects=PROJECTS, requests=f"{asked:,}", found_by_their_own_key=found, leaks=len(leaked))
    assert leaked == []
    assert found >= 15 * PROJECTS


def test_no_page_holds_another_projects_canary(many: list[Tenant]) -> None:
    """Every page of the console, filled, by somebody with every role in the project."""
    routes = [route for route in PAGES if route.startswith("p/<slug:slug>")]
    asked, leaked = 0, []
    for mine in many[:2]:
        words = others(many, mine)
        for route in routes:
            response = mine.browser.get(mine.address(route))
            asked += 1
            assert response.status_code < 500, route
            body = b"".join(response.streaming_content) if response.streaming else response.content
            text = body.decode()
            leaked += [f"{route}: {word}" for word in words if word in text]
    report("canary pages", projects=2, pages=asked, leaks=len(leaked))
    assert leaked == []


def test_threads_over_a_pool_of_two_connections(many: list[Tenant]) -> None:
    """A binding is its transaction's: whoever gets the connection next sees nothing of it."""
    settings = connections["default"].get_connection_params()
    settings.pop("cursor_factory", None)
    pool: queue.Queue[psycopg.Connection] = queue.Queue()
    for _ in range(POOL):
        connections["default"].close()
        connections["default"].ensure_connection()
        pool.put(connections["default"].connection)
        connections["default"].connection = None

    def borrowed(work: tuple[Tenant, str]) -> list[str]:
        mine, path = work
        wrapper, driver = connections["default"], pool.get()
        wrapper.connection, wrapper.close_at, wrapper.autocommit = driver, None, True
        try:
            response = call("GET", path, mine.keys["direct"], prefix="/v1/")
            assert response.status_code == 200, (path, response.content)
            return [word for word in others(many, mine) if leaks(response, word)]
        finally:
            wrapper.connection = None
            pool.put(driver)

    forget_kept()
    works = [(mine, path) for mine in many[:10] for path in api_reads(mine)]
    # Neighbours of different projects, so that a connection changes hands between them each time.
    mixed = [works[n * 7919 % len(works)] for n in range(len(works))] * ROUNDS
    with ThreadPoolExecutor(THREADS) as threads:
        leaked = [word for words in threads.map(borrowed, mixed) for word in words]
    for _ in range(POOL):
        pool.get().close()
    report("shared connections", threads=THREADS, connections=POOL, requests=f"{len(mixed):,}", leaks=len(leaked))
    assert leaked == []
