"""Pytest plugin (`-p tests.servers`): every run has its own throw-away servers and environment.

It works at import, before pytest-django reads the settings. The process that was called starts PostgreSQL,
migrates `mp_template` once as owner and collects static files; each process that runs tests (that one, or the
xdist workers) takes a clone of the template and a Redis of its own.
"""

import atexit
import os
import secrets
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
from psycopg import sql

from memoryplane import embedded
from memoryplane.embedded.postgres import APP, OWNER, PORT

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = "mp_template"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
# The settings of a developer's shell must not reach a test.
PREFIXES = ("MEMORYPLANE_", "DATABASE_", "REDIS_", "SECRET_KEY", "PG", "DJANGO_", "CELERY_")


def database_urls(name: str) -> dict[str, str]:
    """DATABASE_URL and DATABASE_APP_URL of the database `name` on the test server."""
    tail = f"@/{name}?host={os.environ['MPTEST_SOCKETS']}&port={PORT}"
    return {"DATABASE_URL": f"postgresql://{OWNER}{tail}", "DATABASE_APP_URL": f"postgresql://{APP}{tail}"}


def clone(name: str) -> None:
    """Make the database `name` from the migrated template (a few hundredths of a second)."""
    execute("CREATE DATABASE {} TEMPLATE {}", name, TEMPLATE)


def drop(name: str) -> None:
    """The owner may not end the application's sessions, and one that was closed just now takes a moment to go."""
    for _ in range(100):
        try:
            return execute("DROP DATABASE IF EXISTS {}", name)
        except psycopg.errors.ObjectInUse:
            time.sleep(0.05)
    execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def execute(statement: str, *names: str) -> None:
    with psycopg.connect(
        host=os.environ["MPTEST_SOCKETS"], port=PORT, user=OWNER, dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def begin_run() -> None:
    """In the process that was called: servers, secrets, template database, static files."""
    for name in [name for name in os.environ if name.startswith(PREFIXES)]:
        del os.environ[name]
    servers = embedded.start(ROOT, throwaway=True, redis=False)
    atexit.register(servers.stop)
    var = servers.home.path / "var"
    var.mkdir()
    os.environ["MPTEST_SOCKETS"] = str(servers.home.sockets)
    os.environ.update(
        MEMORYPLANE_VAR=str(var),
        MEMORYPLANE_PUBLIC_URL="http://127.0.0.1:8000",
        REDIS_URL="unix:///nowhere/redis.sock",  # migrate and collectstatic use none; see take_part
        DJANGO_SETTINGS_MODULE="memoryplane.settings",
        **{
            name: secrets.token_urlsafe(48)
            for name in (
                "SECRET_KEY",
                "MEMORYPLANE_KEY_PEPPER",
                "MEMORYPLANE_AUDIT_KEY",
                "MEMORYPLANE_TOMBSTONE_KEY",
            )
        },
        **database_urls(TEMPLATE),
    )
    execute("CREATE DATABASE {}", TEMPLATE)
    with ThreadPoolExecutor() as pool:
        for done in pool.map(manage, (["migrate"], ["collectstatic", "--noinput"])):
            if done.returncode:
                sys.stderr.write(done.stdout + done.stderr)
                raise SystemExit(f"The test database could not be prepared: {' '.join(done.args[1:])} failed.")


def manage(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "manage.py"), *arguments, "--verbosity", "0"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def take_part() -> None:
    """In a process that runs tests: a database and a Redis of its own."""
    name = f"mp_{WORKER}"
    clone(name)
    own = embedded.start(ROOT, throwaway=True, postgres=False)
    atexit.register(own.stop)
    os.environ.update(REDIS_URL=own.redis_url, **database_urls(name))


if WORKER == "main":
    try:
        begin_run()
    except embedded.StartupFault as fault:
        raise SystemExit(str(fault)) from fault
take_part()
