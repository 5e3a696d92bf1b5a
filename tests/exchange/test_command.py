"""`manage.py import` and `manage.py export`."""

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.exchange.models import Import
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.exchange.stage import SAMPLES, as_file, line
from tests.exchange.test_readers import LEARNED
from tests.factories import make_agent, make_fact, make_project


@pytest.fixture
def project(db: None) -> Project:
    return make_project("acme")


def run(name: str, *arguments: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def test_a_file_comes_in_from_the_command_line(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(as_file(line("Ships on Tuesdays."), line("Unsure.", confidence=7)))
    said = run("import", path, "--dry-run")
    assert (
        "Would take in 1 new" in said
        and "line 2 has a number outside 0 to 1" in said
        and "Nothing was taken in" in said
    )
    with bind(project.id):
        assert not Proposal.objects.exists() and Import.objects.get().state == "cancelled"
    assert "Put before the reviewers 1 new" in run("import", path, "--project", "acme")
    assert "Took in 1 new" in run("import", path, "--direct")
    with pytest.raises(CommandError, match="Nothing in it would be taken in"):
        run("import", path, "--direct")
    with bind(project.id):
        assert Fact.objects.get().approved_by == "system:exchange"


def test_what_can_t_be_read_is_an_error(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"results": []}')
    with pytest.raises(CommandError, match="none of the files"):
        run("import", path)
    with pytest.raises(CommandError, match="can't be read"):
        run("import", tmp_path / "nothing")
    with pytest.raises(CommandError, match="one of them"):
        run("import")
    with pytest.raises(CommandError, match="begins with"):
        run("import", url="file:///etc/passwd")
    make_project("other")
    with pytest.raises(CommandError, match="--project: acme, other"):
        run("import", SAMPLES / "mem0_export.json")


def test_a_table_is_told_its_columns(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("what;whom\nPrefers email.;zoe\n")
    with pytest.raises(CommandError, match="Say which column"):
        run("import", path)
    said = run("import", path, "--direct", "--column", "content=what", "--column", "scope_id=whom")
    assert "Took in 1 new" in said


def test_a_local_database_comes_in(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "local.db"
    with sqlite3.connect(path) as database:
        database.executescript(LEARNED)
    database.close()
    said = run("import", path, "--direct", "--register-agents")
    assert "refused" in said and "1 more" not in said
    with bind(project.id):
        rows = Fact.objects.order_by("id").values_list("scope", "scope_id", "content", "confidence")
        assert ("user", "zoe", "Prefers email.", 0.6) in set(rows) and (
            "agent",
            "support",
            "Refunds take five days.",
            1.0,
        ) in set(rows)


def test_tables_in_postgres_and_hashes_in_redis_are_read_where_they_are(fresh_db: str) -> None:
    """Their own DDL, on the servers of the tests."""
    project = make_project("acme")
    make_agent(project, "support")
    address = connections["owner"].settings_dict
    url = f"postgresql://{address['USER']}:{address['PASSWORD']}@/{address['NAME']}?host={address['HOST']}&port={address['PORT']}"
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "CREATE TABLE learned_memory (id BIGSERIAL PRIMARY KEY, scope TEXT NOT NULL, scope_id TEXT NOT NULL DEFAULT '',"
            " fact TEXT NOT NULL, source_trace_id TEXT, confidence DOUBLE PRECISION DEFAULT 1.0, created_at DOUBLE PRECISION"
            " NOT NULL, superseded_by BIGINT, project_id TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '')"
        )
        cursor.execute(
            "INSERT INTO learned_memory (scope, scope_id, fact, created_at) SELECT 'agent', 'support', 'Fact ' || n, n"
            " FROM generate_series(1, 1200) n"
        )
    assert "Took in 1,200 new" in run("import", "--direct", url=url)
    with bind(project.id):
        # The address holds a password, and is kept nowhere.
        assert Import.objects.get().name == "postgresql"
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "DROP TABLE learned_memory; CREATE TABLE memory (agent TEXT, scope TEXT, key TEXT, value TEXT NOT NULL,"
            " PRIMARY KEY (agent, scope, key));"
            "INSERT INTO memory VALUES ('support', 'user:zoe', 'city', '\"Lisbon\"'), ('support', 'user:zoe', '_plan', '{}')"
        )
    assert "Took in 1 new" in run("import", "--direct", url=url)
    with bind(project.id):
        assert Fact.objects.get(key="city").value == "Lisbon"
    client = redis.Redis.from_url(settings.REDIS_URL)
    for number, fact in enumerate(["Said in Redis.", "Said there too."], start=1):
        row = {"id": number, "scope": "user", "scope_id": "zoe", "fact": fact, "source_trace_id": "", "confidence": "0.6",
               "created_at": "1767225600.5", "superseded_by": "", "project_id": "", "source": "learned"}  # fmt: skip
        client.hset(f"fa:fact:{number}", mapping=row)
    try:
        assert "Took in 2 new" in run("import", "--direct", url=settings.REDIS_URL)
    finally:
        client.delete("fa:fact:1", "fa:fact:2")
        client.close()
    with pytest.raises(CommandError, match="Nothing answers"):
        run("import", "--direct", url="postgresql://nobody:wrong@127.0.0.1:1/none")


def test_an_export_is_a_file_for_nobody_else(project: Project, tmp_path: Path) -> None:
    make_fact(project, "Prefers email.", user="zoe", sensitivity="personal")
    make_fact(project, "Ships on Tuesdays.")
    make_fact(project, "Ships on Mondays.", retired="stale")
    path = tmp_path / "out.jsonl"
    assert "2 facts of acme" in run("export", path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [json.loads(one)["content"] for one in path.read_text().splitlines()] == [
        "Prefers email.",
        "Ships on Tuesdays.",
    ]
    assert "1 facts of acme" in run("export", path, "--most-sensitive", "internal")
    there = make_project("there")
    run("export", path, "--project", "acme")
    assert "Took in 2 new" in run("import", path, "--project", "there", "--direct")
    with bind(there.id):
        assert Fact.objects.count() == 2
