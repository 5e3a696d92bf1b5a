"""The whole product on servers of its own, which a test stops, empties and starts again."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.db import connections
from psycopg import sql
from pytest_django import DjangoDbBlocker

from memoryplane import embedded
from memoryplane.embedded.home import ROOTS_HOME
from memoryplane.embedded.postgres import APP, OWNER, Postgres
from memoryplane.embedded.redis import Redis
from tests.live import Live, run, run_server, run_worker
from tests.servers import KEPT, TEMPLATE, schema_digest

DATABASE = "faults"


@dataclass
class Plane:
    """PostgreSQL and Redis with what they keep on disk, as `up` runs them, and the processes on them."""

    servers: embedded.Servers
    folder: Path
    processes: list[Live] = field(default_factory=list)

    @property
    def postgres(self) -> Postgres:
        (found,) = [one for one in self.servers.running if isinstance(one, Postgres)]
        return found

    @property
    def redis(self) -> Redis:
        (found,) = [one for one in self.servers.running if isinstance(one, Redis)]
        return found

    def environment(self) -> dict[str, str]:
        return {
            "DATABASE_URL": self.postgres.url(OWNER, DATABASE),
            "DATABASE_APP_URL": self.postgres.url(APP, DATABASE),
            "REDIS_URL": self.redis.url,
        }

    def web(self, **settings: str) -> Live:
        return self._keep(run_server(DATABASE, self._place("web"), **self.environment(), **settings))

    def worker(self, name: str = "worker", *, beat: bool = True, **settings: str) -> Live:
        chosen = {"MEMORYPLANE_SETTLE_SECONDS": "1", "MEMORYPLANE_EMBEDDER": "none", **settings}
        return self._keep(run_worker(DATABASE, self._place(name), beat=beat, name=name, **self.environment(), **chosen))

    def beat(self, schedule: Path | None = None, **settings: str) -> Live:
        """The scheduler alone, as `up` runs it, which keeps in ``schedule`` what ran when."""
        folder = self._place("beat")
        schedule = schedule or folder / "schedule"
        arguments = ["celery", "-A", "memoryplane", "beat", "--schedule", str(schedule), "--pidfile", ""]
        return self._keep(run("beat", arguments, DATABASE, folder, **(self.environment() | settings)))

    def _place(self, name: str) -> Path:
        place = self.folder / f"{name}-{len(self.processes)}"
        place.mkdir()
        return place

    def _keep(self, live: Live) -> Live:
        self.processes.append(live)
        return live

    def stop_postgres(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """At once and without a checkpoint, as `pg_ctl -m immediate` does it."""
        assert self.postgres.process is not None
        connections.close_all()  # the test's own, which would be found broken later
        self.postgres.process.send_signal(how)
        self.postgres.process.wait(60)

    def start_postgres(self) -> None:
        self.postgres.launch()
        assert self.postgres.wait_ready()

    def stop_redis(self) -> None:
        assert self.redis.process is not None
        self.redis.process.kill()
        self.redis.process.wait(60)

    def start_redis(self) -> None:
        self.redis.start()


@contextmanager
def own_plane(folder: Path, patch: pytest.MonkeyPatch, blocker: DjangoDbBlocker) -> Iterator[Plane]:
    """Servers with a migrated database, which the test's own process works on too."""
    kept = KEPT / schema_digest()
    assert kept.exists(), "the run that started the tests keeps it"
    var = folder / "var"
    servers = embedded.start(var, cluster=kept)
    plane = Plane(servers, folder)
    before = {alias: dict(connections.settings[alias]) for alias in ("default", "owner")}
    try:
        with plane.postgres.connect("postgres") as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(
                    *map(sql.Identifier, (DATABASE, TEMPLATE, OWNER))
                )
            )
        for name, value in plane.environment().items():
            patch.setenv(name, value)
        place(HOST=str(servers.home.sockets), NAME=DATABASE)
        with blocker.unblock():
            yield plane
    finally:
        for live in reversed(plane.processes):
            live.stop()
            # Shown beside a test that failed.
            print(live.log, *live.said().splitlines()[-40:], sep="\n")
        for alias, settings in before.items():
            connections[alias].close()
            connections.settings[alias].update(HOST=settings["HOST"], NAME=settings["NAME"])
            connections[alias].settings_dict.update(HOST=settings["HOST"], NAME=settings["NAME"])
        servers.stop()
        data = (var / "data").resolve()
        if data.parent == ROOTS_HOME:
            shutil.rmtree(data, ignore_errors=True)


def place(**settings: str) -> None:
    """Where both aliases, in this and every later thread, find their database."""
    for alias in ("default", "owner"):
        connections[alias].close()
        connections.settings[alias].update(settings)
        connections[alias].settings_dict.update(settings)


def waited(what: str, seconds: float, holds: object) -> float:
    """How long it took until ``holds()`` was true. Raises AssertionError after ``seconds``."""
    assert callable(holds)
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < seconds, f"not within {seconds:g} seconds: {what}"
        time.sleep(0.1)
    return time.monotonic() - begun


def kill_group(live: Live) -> None:
    """-9 for a process and all it forked."""
    os.killpg(live.process.pid, signal.SIGKILL)
    live.process.wait(60)
