"""Pytest plugin (`-p tests.servers`): every run has its own throw-away servers and environment.

It works at import, before pytest-django reads the settings. The process that was called starts PostgreSQL with
`mp_template`, migrated by the owner, and collects static files; each process that runs tests (that one, or the xdist
workers) takes a clone of the template and a Redis of its own.

Migrating takes longer than most tests, so the migrated cluster is kept in `.pytest_cache`, under a digest of everything
that it comes from: the next run begins with a copy, unless one of these files has changed.
"""

import atexit
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import psycopg
from psycopg import sql

from memoryplane import embedded
from memoryplane.embedded.postgres import APP, OWNER, PORT

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = "mp_template"
KEPT = ROOT / ".pytest_cache" / "clusters"
KEPT_AT_MOST = 3
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
    kept = KEPT / schema_digest()
    if not kept.exists():
        keep_cluster(kept)
    take_servers(kept)
    collected = manage(["collectstatic", "--noinput"])
    if collected.returncode:
        give_up(collected)


def schema_digest() -> str:
    """Of all that a migrated cluster comes from: the servers, the libraries, the migrations and what they load."""
    parts = ["requirements.txt", "memoryplane/settings.py", "memoryplane/embedded/*.py", "apps/*/migrations/*.py"]
    parts += ["apps/*/sql/*.sql", "apps/core/ddl.py", "apps/core/ids.py", "apps/core/sqlfiles.py"]
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for part in parts for path in ROOT.glob(part)):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def keep_cluster(kept: Path) -> None:
    """Migrate a new cluster, stop it and keep it as `kept`, in place of those of other states of the schema."""
    servers = take_servers(None)
    execute("CREATE DATABASE {}", TEMPLATE)
    migrated = manage(["migrate"])
    if migrated.returncode:
        give_up(migrated)
    servers.running.pop().stop()
    part = kept.with_name(f"{kept.name}.{os.getpid()}")
    shutil.copytree(servers.home.postgres, part)
    servers.stop()
    try:
        part.rename(kept)
    except OSError:
        # Another run was faster; its cluster is the same.
        if not kept.exists():
            raise
        shutil.rmtree(part)
    for older in sorted(KEPT.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT_AT_MOST]:
        shutil.rmtree(older, ignore_errors=True)


def give_up(done: "subprocess.CompletedProcess[str]") -> NoReturn:
    sys.stderr.write(done.stdout + done.stderr)
    raise SystemExit(f"The test database could not be prepared: {' '.join(done.args[1:])} failed.")


def take_servers(cluster: Path | None) -> embedded.Servers:
    """PostgreSQL for this run, and the environment that names it."""
    servers = embedded.start(ROOT, throwaway=True, redis=False, cluster=cluster)
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
    return servers


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
