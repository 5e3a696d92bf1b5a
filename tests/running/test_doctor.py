import subprocess
import sys
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from memoryplane.management.commands import doctor
from tests.running.conftest import bare_environment
from tests.servers import ROOT, database_urls


def run(var: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    secrets = {
        name: "s" * 50
        for name in ("SECRET_KEY", "MEMORYPLANE_KEY_PEPPER", "MEMORYPLANE_AUDIT_KEY", "MEMORYPLANE_TOMBSTONE_KEY")
    }
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "doctor"],
        env=bare_environment(var, **{**secrets, **environment}),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_servers_that_are_away_are_named_once(var: Path) -> None:
    var.mkdir()
    (var / "secrets.env").write_text("REDIS_URL=unix:///nowhere/redis.sock\n")
    (var / "secrets.env").chmod(0o644)
    away = f"postgresql://boss:hidden@/given?host={var}"
    done = run(var, DATABASE_URL=away, DATABASE_APP_URL=away, MEMORYPLANE_PUBLIC_URL="http://127.0.0.1:9")
    assert done.returncode == 1 and done.stderr == "" and "hidden" not in done.stdout
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "WRONG  secrets file",
        "WRONG  database",
        "?      application role",
        "?      schema",
        "?      row-level security",
        "?      vectors",
        "WRONG  Redis",
        "WRONG  web",
        "?      workers",
        "ok     disk",
        "4 found.",
    ]


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_whole_database_is_well() -> None:
    for examine in (doctor.owner_database, doctor.application_role, doctor.schema, doctor.row_security):
        assert list(examine()) == []


def test_a_table_without_a_policy_and_a_waiting_migration_are_found(fresh_db: str) -> None:
    import psycopg

    ((_, last),) = MigrationLoader(None).graph.leaf_nodes("facts")
    with psycopg.connect(database_urls(fresh_db)["DATABASE_URL"], autocommit=True) as owner:
        owner.execute("ALTER TABLE facts_fact NO FORCE ROW LEVEL SECURITY")
        owner.execute("DELETE FROM django_migrations WHERE app = 'facts' AND name = %s", [last])
    assert "the table facts_fact is not held" in "; ".join(doctor.row_security())
    assert f"1 migrations wait, from facts.{last}" in "; ".join(doctor.schema())


def test_a_proxy_that_is_said_and_not_counted_is_named(var: Path) -> None:
    var.mkdir()
    away = f"postgresql://boss:hidden@/given?host={var}"
    given = {"DATABASE_URL": away, "DATABASE_APP_URL": away, "REDIS_URL": "unix:///nowhere/redis.sock"}
    given |= {"MEMORYPLANE_PUBLIC_URL": "http://127.0.0.1:9", "MEMORYPLANE_HTTPS": "1"}
    said = "counted as if all came from one address"
    assert said in run(var, **given).stdout
    assert said not in run(var, **given, MEMORYPLANE_TRUSTED_PROXIES="1").stdout
