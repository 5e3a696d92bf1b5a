import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from memoryplane import embedded
from memoryplane.embedded import StartupFault
from memoryplane.embedded.process import is_gone
from tests.servers import ROOT

# Starts the servers, writes a row and a key, says so, and waits to be killed.
HOLDER = """
import sys, time
from pathlib import Path
import psycopg, redis
from memoryplane import embedded
servers = embedded.start(Path(sys.argv[1]))
with psycopg.connect(servers.database_url) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
    connection.execute("INSERT INTO kept VALUES (1)")
redis.Redis(unix_socket_path=servers.redis_url.removeprefix("unix://")).incr("kept")
print(*(process.pid for _, process in servers.processes()), flush=True)
time.sleep(60)
"""


@contextmanager
def holder(var: Path) -> Iterator[tuple["subprocess.Popen[str]", list[psutil.Process]]]:
    """A program that holds the servers, and they."""
    program = subprocess.Popen([sys.executable, "-c", HOLDER, str(var)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    servers: list[psutil.Process] = []
    try:
        servers += [psutil.Process(int(pid)) for pid in program.stdout.readline().split()]
        assert len(servers) == 2
        yield program, servers
    finally:
        program.kill()
        program.wait()
        psutil.wait_procs(servers, timeout=10)
        program.stdout.close()


def kept(var: Path) -> tuple[int, int]:
    """Start over what is there, count the rows and read the key, stop."""
    servers = embedded.start(var)
    try:
        with psycopg.connect(servers.database_url) as connection:
            row = connection.execute("SELECT count(*) FROM kept").fetchone()
        assert row is not None
        store = redis.Redis(unix_socket_path=servers.redis_url.removeprefix("unix://"))
        return row[0], int(store.get("kept") or 0)  # type: ignore[arg-type]
    finally:
        servers.stop()


def test_nothing_is_lost_by_kill_9_of_all(var: Path) -> None:
    with holder(var) as (program, servers):
        for process in [program, *servers]:
            process.kill()
    assert kept(var) == (1, 1)
    with holder(var) as (program, servers):
        for process in [program, *servers]:
            process.kill()
    assert kept(var) == (2, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux's")
def test_servers_end_with_a_killed_parent(var: Path) -> None:
    with holder(var) as (program, servers):
        program.kill()
        psutil.wait_procs(servers, timeout=10)
        assert [is_gone(process) for process in servers] == [True, True]
    assert kept(var) == (1, 1)


def test_a_second_start_is_refused_while_the_first_lives(var: Path) -> None:
    with holder(var) as (_, servers):
        with pytest.raises(StartupFault, match="Another running `up` holds the data"):
            embedded.start(var)
        assert [process.is_running() for process in servers] == [True, True]


def test_a_pid_file_that_names_another_program_is_not_believed(var: Path) -> None:
    with holder(var) as (program, servers):
        for process in [program, *servers]:
            process.kill()
    home = (var / "data").resolve() if os.geteuid() == 0 else var
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        pid_file = home / "postgres" / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
        pid_file.write_text("\n".join([str(bystander.pid), *lines[1:]]))
        for lock in home.glob("s/.s.PGSQL.*.lock"):
            lock.write_text(f"{bystander.pid}\n")
        assert kept(var) == (1, 1)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_start_killed_during_initdb_leaves_nothing_in_the_way(var: Path) -> None:
    program = subprocess.Popen([sys.executable, "-c", HOLDER, str(var)], cwd=ROOT, stdout=subprocess.DEVNULL)
    home = (var / "data") if os.geteuid() == 0 else var
    while not (home / "postgres.new" / "PG_VERSION").exists():
        assert program.poll() is None
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    with holder(var):
        pass
    assert kept(var) == (1, 1)


def test_the_application_role_may_not_make_a_table_or_bypass_policies() -> None:
    with psycopg.connect(os.environ["DATABASE_APP_URL"]) as connection:
        row = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        assert row == (False, False, False, False)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE mine (n int)")


def test_a_failing_statement_leaves_no_text_in_the_log(tmp_path: Path) -> None:
    servers = embedded.start(tmp_path, log_dir=tmp_path / "log", throwaway=True, redis=False)
    try:
        with psycopg.connect(servers.database_url, autocommit=True) as connection:
            connection.execute("CREATE TABLE one (t text UNIQUE CHECK (t <> 'hidden-b'))")
            connection.execute("INSERT INTO one VALUES ('hidden-a')")
            for text in ("hidden-a", "hidden-b"):
                with pytest.raises(psycopg.IntegrityError):
                    connection.execute(f"INSERT INTO one VALUES ('{text}')")
                with pytest.raises(psycopg.IntegrityError):
                    connection.execute("INSERT INTO one VALUES (%s)", [text])
        said = (tmp_path / "log" / "postgres.log").read_text()
        assert said.count("ERROR:") == 4
        assert "hidden" not in said
    finally:
        servers.stop()
