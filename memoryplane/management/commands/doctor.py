"""`doctor`: what is wrong with this installation, in plain words. It changes nothing."""

import shutil
import stat
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import redis
from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from apps.recall.serving import standing
from memoryplane import database, secretsfile
from memoryplane.celery import app as celery
from memoryplane.embedded import StartupFault
from memoryplane.env import load

# Whom a row-level policy would lock out before a project is bound: logins, keys, and the audit's own chain.
WITHOUT_POLICY = {"access", "audit"}
LOW_DISK = 1024**3


class Command(BaseCommand):
    help = "Say in plain words what is wrong with this installation; exit code 1 when something is."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        wrong, away = 0, set()
        for name, needs, examine in (
            ("secrets file", "", secrets_file),
            ("database", "", owner_database),
            ("application role", "database", application_role),
            ("schema", "database", schema),
            ("row-level security", "database", row_security),
            ("vectors", "database", vectors),
            ("Redis", "", redis_server),
            ("web", "", web),
            ("workers", "Redis", workers),
            ("disk", "", disk),
        ):
            if needs in away:
                self.stdout.write(f"?      {name}: can't be looked at without the {needs}")
                continue
            try:
                faults = list(examine())
            except StartupFault as fault:
                faults = [str(fault)]
                away.add(name)
            wrong += len(faults)
            self.stdout.write("\n".join(f"WRONG  {name}: {fault}" for fault in faults) or f"ok     {name}")
        if wrong:
            self.stdout.write(f"{wrong} found." if wrong > 1 else "One thing found.")
            sys.exit(1)
        self.stdout.write("Nothing is wrong.")


def secrets_file() -> Iterator[str]:
    path = secretsfile.path_in(settings.VAR_DIR)
    if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield f"others may read {path}; chmod 600 it, and change the secrets if somebody did"


def owner_database() -> Iterator[str]:
    with database.connect(load().text("DATABASE_URL"), "DATABASE_URL") as owner:
        wanting = database.lacks_as_owner(owner, make=False)
        if wanting.sentences:
            yield str(wanting.fault(database.name_of(owner)))


def application_role() -> Iterator[str]:
    env = load()
    with (
        database.connect(env.text("DATABASE_URL"), "DATABASE_URL") as owner,
        database.connect(env.text("DATABASE_APP_URL"), "DATABASE_APP_URL") as app,
    ):
        yield from database.app_role_faults(owner, app)


def schema() -> Iterator[str]:
    executor = MigrationExecutor(connections["owner"])
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        yield f"{len(waiting)} migrations wait, from {waiting[0][0]} on: run `manage.py migrate`"


def row_security() -> Iterator[str]:
    """Every table of a project's content, from the models, against the catalog."""
    tables = [
        model._meta.db_table
        for model in apps.get_models()
        if model._meta.app_label not in WITHOUT_POLICY
        and any(field.column == "project_id" for field in model._meta.concrete_fields)
    ]
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND relkind IN ('r', 'p')"
            " AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1",
            [tables],
        )
        for (table,) in cursor.fetchall():
            yield f"the table {table} is not held by forced row-level security: projects could see each other"


def vectors() -> Iterator[str]:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT to_regclass('recall_embeddingmodel'), to_regproc('has_vector_index')")
        if None in cursor.fetchone():
            return  # a migration waits, as is said above
    yield from standing(using="owner").troubles


def redis_server() -> Iterator[str]:
    client = redis.from_url(settings.REDIS_URL, socket_connect_timeout=5, socket_timeout=5)
    try:
        policy = client.info("memory").get("maxmemory_policy")
    except redis.RedisError as error:
        raise StartupFault(f"the Redis of REDIS_URL can't be used: {error}") from error
    if policy not in {None, "noeviction"}:
        yield f"its maxmemory-policy is {policy}: it may drop messages; set noeviction"


def web() -> Iterator[str]:
    url = f"{settings.PUBLIC_URL}/readyz"
    try:
        urllib.request.urlopen(url, timeout=5).close()  # noqa: S310  (the operator's own address)
    except (OSError, ValueError) as error:
        yield f"{url} does not say it is ready: {error}"
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        yield (
            "MEMORYPLANE_HTTPS says that a proxy stands in front, MEMORYPLANE_TRUSTED_PROXIES that none does:"
            " sign-ins are counted as if all came from one address"
        )


def workers() -> Iterator[str]:
    if not celery.control.ping(timeout=2):
        yield "none answers: new runs of agents are kept, and not read for facts until one is started"


def disk() -> Iterator[str]:
    free = shutil.disk_usage(settings.VAR_DIR).free
    if free < LOW_DISK:
        yield f"{free // 1024**2} MB are left at {settings.VAR_DIR}"
