"""Migrations run beside processes of the release before: they add, and what takes away says what it follows."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations import operations as made
from django.db.migrations.loader import MigrationLoader

FIRST = {
    "access": "0005_refused_keys",
    "audit": "0006_signed_heads",
    "core": "0001_roles",
    "curation": "0016_limits",
    "dreaming": "0006_waiting_runs",
    "exchange": "0005_lineage",
    "extraction": "0008_one_list",
    "facts": "0018_asked",
    "insight": "0003_open_projects",
    "privacy": "0018_wipe_page",
    "recall": "0015_one_type",
    "tenancy": "0009_agents_called",
    "traces": "0012_states",
}
"""The last of each app that was written before this was asked."""

BIG = {
    ("traces", "trace"), ("traces", "span"), ("traces", "message"), ("facts", "fact"), ("facts", "factsource"),
    ("facts", "factderivation"), ("recall", "readledger"), ("audit", "auditevent"), ("extraction", "extractionrun"),
    ("extraction", "candidatedecision"), ("curation", "proposal"), ("curation", "proposalevidence"),
}  # fmt: skip
"""Models whose tables have so many rows that reading all of them under a lock stops an installation."""

TAKES_AWAY = (
    made.DeleteModel, made.RemoveField, made.RenameField, made.RenameModel, made.AlterModelTable, made.AlterField,
)  # fmt: skip
SQL = {
    r"\bdrop\s+(table|column|view|function|type)\b": "takes away what running processes may use",
    r"\brename\b": "renames what running processes may use",
    r"\bset\s+not\s+null\b": "refuses what running processes may write",
    r"\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b": "writes the table anew under a lock",
    r"\bcreate\s+(unique\s+)?index\s+(?!concurrently)": "reads a table under a lock: CONCURRENTLY",
    r"\badd\s+constraint\b(?![^;]*\bnot\s+valid\b)": "reads a table under a lock: NOT VALID",
    r"\badd\s+column\b(?=[^;]*\bnot\s+null\b)(?![^;]*\bdefault\b)": "running processes write no such column",
    r"\b(lock\s+table|vacuum\s+full|cluster)\b": "locks a table",
}


def faults_of(migration: migrations.Migration) -> list[str]:
    """Why running processes of the release before would stop or fail; none for a step that says what it follows
    (``contract`` of the migration: which release stopped using what is taken away here, or why no one is in its way)."""
    if getattr(migration, "contract", "").strip():
        return []
    steps = list(flat(migration.operations))
    new = {(migration.app_label, step.name_lower) for step in steps if isinstance(step, made.CreateModel)}
    return [found for step in steps for found in faults_of_step(step, migration.app_label, new)]


def flat(operations: list) -> Iterator[made.base.Operation]:
    for step in operations:
        if isinstance(step, made.SeparateDatabaseAndState):
            yield from flat(step.database_operations)
        else:
            yield step


def faults_of_step(step: made.base.Operation, app: str, new: set[tuple[str, str]]) -> Iterator[str]:
    model = (app, str(getattr(step, "model_name", "")).lower())
    said = step.describe()
    if isinstance(step, TAKES_AWAY) and model not in new:
        yield f"{said}: takes away or changes what running processes may use"
    elif isinstance(step, made.AddField) and model not in new:
        field = step.field
        if not (field.null or field.has_db_default() or field.many_to_many or getattr(field, "generated", False)):
            yield f"{said}: running processes write no such column; null=True or db_default"
    elif isinstance(step, made.AddIndex) and model in BIG - new and not isinstance(step, AddIndexConcurrently):
        yield f"{said}: reads a big table under a lock; AddIndexConcurrently"
    elif isinstance(step, made.AddConstraint) and model in BIG - new and not isinstance(step, AddConstraintNotValid):
        yield f"{said}: reads a big table under a lock; AddConstraintNotValid, and validate it in a migration of its own"
    elif isinstance(step, made.RunSQL) and not new:
        text = (
            step.sql
            if isinstance(step.sql, str)
            else "; ".join(one if isinstance(one, str) else one[0] for one in step.sql)
        )
        plain = re.sub(r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$", " ", text, flags=re.S)
        yield from (f"SQL: {why}" for pattern, why in SQL.items() if re.search(pattern, plain, re.I))


def test_what_running_processes_of_the_release_before_would_not_bear() -> None:
    disk = MigrationLoader(None).disk_migrations
    asked = {
        key: one for key, one in disk.items() if one.__module__.startswith("apps.") and key[1] > FIRST.get(key[0], "")
    }
    assert {key: found for key, one in asked.items() if (found := faults_of(one))} == {}


def step(*operations: made.base.Operation, **more: object) -> list[str]:
    made_up = type("Migration", (migrations.Migration,), {"operations": list(operations), **more})
    return faults_of(made_up("0999_tried", "traces"))


INDEX = models.Index(fields=["name"], name="traces_tried")
CHECK = models.CheckConstraint(condition=models.Q(name=""), name="traces_tried")
REFUSED = [
    migrations.RemoveField("trace", "name"),
    migrations.RenameField("trace", "name", "title"),
    migrations.DeleteModel("Trace"),
    migrations.RenameModel("Trace", "Track"),
    migrations.AlterField("trace", "name", models.TextField()),
    migrations.AlterModelTable("trace", "tracks"),
    migrations.AddField("trace", "title", models.TextField()),
    migrations.AddField("trace", "title", models.TextField(default="")),
    migrations.AddIndex("trace", INDEX),
    migrations.AddConstraint("trace", CHECK),
    migrations.SeparateDatabaseAndState(database_operations=[migrations.RemoveField("trace", "name")]),
    migrations.RunSQL("ALTER TABLE traces_trace DROP COLUMN name"),
    migrations.RunSQL(["SELECT 1", ("ALTER TABLE traces_trace ALTER name SET NOT NULL", None)]),
    migrations.RunSQL("ALTER TABLE traces_trace RENAME COLUMN name TO title"),
    migrations.RunSQL("ALTER TABLE traces_trace ALTER COLUMN name TYPE varchar(9)"),
    migrations.RunSQL("CREATE UNIQUE INDEX tried ON traces_trace (name)"),
    migrations.RunSQL("ALTER TABLE traces_trace ADD CONSTRAINT tried CHECK (name <> '')"),
    migrations.RunSQL("ALTER TABLE traces_trace ADD COLUMN title text NOT NULL"),
    migrations.RunSQL("LOCK TABLE traces_trace"),
    migrations.RunSQL("DROP FUNCTION claim_work"),
]
BORNE = [
    migrations.AddField("trace", "title", models.TextField(null=True)),
    migrations.AddField("trace", "title", models.TextField(db_default="")),
    AddIndexConcurrently("trace", INDEX),
    AddConstraintNotValid("trace", CHECK),
    migrations.AddIndex("ingestcount", INDEX),
    migrations.RunSQL("CREATE INDEX CONCURRENTLY tried ON traces_trace (name)"),
    migrations.RunSQL("ALTER TABLE traces_trace ADD CONSTRAINT tried CHECK (name <> '') NOT VALID"),
    migrations.RunSQL("ALTER TABLE traces_trace ADD COLUMN title text NOT NULL DEFAULT ''"),
    migrations.RunSQL("CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE x $$ -- rename"),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda one: one.describe()[:60])
def test_what_takes_away_or_locks_is_refused_unless_it_says_what_it_follows(refused: made.base.Operation) -> None:
    assert len(step(refused)) == 1
    assert len(step(refused, contract=" ")) == 1
    assert step(refused, contract="0.9 no longer reads it") == []


@pytest.mark.parametrize("borne", BORNE, ids=lambda one: one.describe()[:60])
def test_what_adds_is_borne(borne: made.base.Operation) -> None:
    assert step(borne) == []


def test_a_table_that_is_made_here_is_nobodys_yet() -> None:
    new = migrations.CreateModel("Trace", [("id", models.BigAutoField(primary_key=True))])
    assert step(new, migrations.AddIndex("trace", INDEX), migrations.AddConstraint("trace", CHECK)) == []
