"""Databases and live processes for every test.

`db` / `@pytest.mark.django_db`   the process' clone, rolled back after the test
`fresh_db`                        a new clone for committed data; the value is its name
`server`                          a web server on the test's `fresh_db`: `server.url`
`worker`                          starts workers on the test's `fresh_db`: `worker()`, `worker(name="second")`
`plane`                           servers of the test's own, which it may stop, and a migrated database on them
"""

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from apps.recall.serving import forget_kept
from tests.faults.plane import Plane, own_plane
from tests.live import Live, run_server, run_worker
from tests.servers import WORKER, clone, database_urls, drop

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """The clone is there before the first test (tests/servers.py): pytest-django must make none of its own."""


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What a process keeps for seconds must not reach the next test's database."""
    forget_kept()


def use_database(name: str) -> None:
    """Point both aliases, in this and every later thread, at another database."""
    for alias in ("default", "owner"):
        connections[alias].close()
        connections.settings[alias]["NAME"] = name


@contextmanager
def own_database(blocker: DjangoDbBlocker, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """A new clone that both aliases, and processes started meanwhile, use; its name. ``patch`` is what the test itself sets
    variables with, so that they are put back in the order in which they were set."""
    name, before = f"mp_{WORKER}_{next(numbers)}", connections["default"].settings_dict["NAME"]
    clone(name)
    use_database(name)
    try:
        for variable, url in database_urls(name).items():
            patch.setenv(variable, url)
        with blocker.unblock():
            yield name
    finally:
        use_database(before)
        drop(name)


@pytest.fixture
def fresh_db(
    request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    if request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(request.fixturenames):
        pytest.fail("A test has either a rolled-back database or a fresh one, not both.")
    with own_database(django_db_blocker, monkeypatch) as name:
        yield name


@pytest.fixture
def server(fresh_db: str, tmp_path: Path) -> Iterator[Live]:
    live = run_server(fresh_db, tmp_path)
    yield live
    live.stop()


@pytest.fixture
def worker(fresh_db: str, tmp_path: Path) -> Iterator[Callable[..., Live]]:
    with ExitStack() as stack:

        def start(**options: object) -> Live:
            live = run_worker(fresh_db, tmp_path, **options)  # type: ignore[arg-type]
            stack.callback(live.stop)
            return live

        yield start


@pytest.fixture
def plane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker) -> Iterator[Plane]:
    with own_plane(tmp_path, monkeypatch, django_db_blocker) as found:
        yield found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests are skipped where there is no browser, unless REQUIRE_BROWSER=1 makes that a failure."""
    if find_browser():
        return
    if os.environ.get("REQUIRE_BROWSER") == "1":
        raise pytest.UsageError("REQUIRE_BROWSER=1, and there is no chromium: apt-get install chromium")
    skip = pytest.mark.skip(reason="no chromium on this machine: apt-get install chromium")
    for item in items:
        if item.get_closest_marker("e2e"):
            item.add_marker(skip)


def find_browser() -> str | None:
    """The path of Debian's chromium or another one on PATH; BROWSER_PATH names one elsewhere."""
    return os.environ.get("BROWSER_PATH") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
