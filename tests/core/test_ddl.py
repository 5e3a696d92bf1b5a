"""What the migration helpers build, as the database itself sees it: made by the owner, used by the application."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connections
from django.db.migrations import RunSQL
from django.db.migrations.state import ProjectState

from apps.core.ddl import composite_fk, composite_unique, refuse_writes, row_security
from apps.core.transactions import bind


def sql(text: str, *, using: str = "owner") -> list[tuple[Any, ...]]:
    with connections[using].cursor() as cursor:
        cursor.execute(text)
        return cursor.fetchall() if cursor.description else []


def apply(*operations: RunSQL) -> None:
    with connections["owner"].schema_editor() as editor:
        for operation in operations:
            operation.database_forwards("core", editor, ProjectState(), ProjectState())


def revert(*operations: RunSQL) -> None:
    with connections["owner"].schema_editor() as editor:
        for operation in reversed(operations):
            operation.database_backwards("core", editor, ProjectState(), ProjectState())


def catalog() -> tuple[list[tuple[Any, ...]], ...]:
    """Everything the helpers could leave behind."""
    return (
        sql("SELECT conname, conrelid::regclass::text FROM pg_constraint WHERE contype IN ('f', 'u') ORDER BY 1, 2"),
        sql("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
        sql("SELECT polname, polrelid::regclass::text FROM pg_policy ORDER BY 2, 1"),
        sql("SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class ORDER BY 1"),
        sql("SELECT tgname, tgrelid::regclass::text FROM pg_trigger ORDER BY 2, 1"),
        sql("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"),
    )


PARENT_KEYS = (composite_unique("parent"), composite_unique("parent", "code"))


@pytest.fixture(autouse=True)
def tables(fresh_db: str) -> None:
    sql("CREATE TABLE parent (id bigint PRIMARY KEY, project_id bigint NOT NULL, code text)")
    sql(
        "CREATE TABLE child (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, project_id bigint NOT NULL,"
        " parent_id bigint, parent_code text)"
    )


def fill() -> None:
    sql("INSERT INTO parent VALUES (1, 1, 'a'), (2, 2, 'b')")
    sql("INSERT INTO child (project_id, parent_id, parent_code) VALUES (1, 1, 'a'), (2, 2, 'b')")


def children() -> list[tuple[Any, ...]]:
    return sql("SELECT project_id, parent_id, parent_code FROM child ORDER BY id")


@pytest.mark.parametrize(
    "operations",
    [
        (row_security("child"),),
        PARENT_KEYS,
        (*PARENT_KEYS, composite_fk("child", "parent_id", "parent", on_delete="SET NULL")),
        (*PARENT_KEYS, composite_fk("child", "parent_id", "parent", index=False)),
        (
            composite_unique("parent", ("id", "code")),
            composite_fk("child", ("parent_id", "parent_code"), "parent", ("id", "code")),
        ),
        (refuse_writes("child"), refuse_writes("parent", ("DELETE",))),
        (refuse_writes("child", ("TRUNCATE",)),),
    ],
    ids=["policies", "uniques", "key", "key without index", "wide key", "triggers", "one trigger"],
)  # fmt: skip
def test_each_helper_can_be_taken_back(operations: tuple[RunSQL, ...]) -> None:
    before = catalog()
    apply(*operations)
    assert catalog() != before
    revert(*operations)
    assert catalog() == before


def test_rows_are_seen_and_written_in_the_bound_project_only() -> None:
    apply(row_security("child"))
    fill()
    seen = "SELECT project_id FROM child"
    assert sql(seen, using="default") == []
    with bind(1):
        assert sql(seen, using="default") == [(1,)]
        sql("INSERT INTO child (project_id) VALUES (1)", using="default")
        sql("UPDATE child SET parent_code = 'new'", using="default")
    assert set(children()) == {(1, 1, "new"), (2, 2, "b"), (1, None, "new")}
    for refused in (
        "INSERT INTO child (project_id) VALUES (2)",
        "UPDATE child SET project_id = 2",
    ):
        with pytest.raises(DatabaseError, match="row-level security"), bind(1):
            sql(refused, using="default")
    with pytest.raises(DatabaseError, match="row-level security"):
        sql("INSERT INTO child (project_id) VALUES (1)", using="default")
    assert sql("SELECT project_id, count(*) FROM child GROUP BY 1 ORDER BY 1") == [(1, 2), (2, 1)]


def test_the_owner_is_held_by_the_policies_and_sees_all_through_its_own() -> None:
    apply(row_security("child"))
    fill()
    assert sql("SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = 'child'") == [(True, True)]
    assert sql(
        "SELECT polname, polroles = ARRAY[current_user::regrole::oid], polqual IS NOT NULL, polwithcheck IS NOT NULL"
        " FROM pg_policy WHERE polrelid = 'child'::regclass ORDER BY 1"
    ) == [("owner", True, True, True), ("project", False, True, True)]
    assert len(children()) == 2


def test_another_column_can_name_the_project() -> None:
    apply(row_security("parent", "id"))
    fill()
    with bind(2):
        assert sql("SELECT code FROM parent", using="default") == [("b",)]


@pytest.mark.parametrize(
    "wrong", ["INSERT INTO child (project_id, parent_id) VALUES (1, 2)", "UPDATE child SET parent_id = 1"]
)
def test_a_key_cannot_point_into_another_project(wrong: str) -> None:
    apply(*PARENT_KEYS, composite_fk("child", "parent_id", "parent", on_delete="CASCADE"))
    fill()
    with pytest.raises(IntegrityError, match="child_parent_id_fk"):
        sql(wrong)
    assert children() == [(1, 1, "a"), (2, 2, "b")]


def test_on_delete_cascade() -> None:
    apply(*PARENT_KEYS, composite_fk("child", "parent_id", "parent", on_delete="CASCADE"))
    fill()
    sql("DELETE FROM parent WHERE id = 1")
    assert children() == [(2, 2, "b")]


def test_on_delete_set_null_keeps_the_project() -> None:
    apply(*PARENT_KEYS, composite_fk("child", "parent_code", "parent", "code", "SET NULL"))
    fill()
    sql("DELETE FROM parent WHERE id = 1")
    assert children() == [(1, 1, None), (2, 2, "b")]


def test_on_delete_restrict_is_the_default() -> None:
    apply(*PARENT_KEYS, composite_fk("child", "parent_id", "parent"))
    fill()
    with pytest.raises(IntegrityError):
        sql("DELETE FROM parent WHERE id = 1")
    assert len(children()) == 2
    assert sql("SELECT count(*) FROM parent") == [(2,)]


def test_a_key_is_named_and_indexed_by_its_columns() -> None:
    apply(*PARENT_KEYS, composite_fk("child", "parent_id", "parent"))
    assert sql("SELECT indexdef FROM pg_indexes WHERE indexname = 'child_parent_id_fk_idx'") == [
        ("CREATE INDEX child_parent_id_fk_idx ON public.child USING btree (project_id, parent_id)",)
    ]
    assert sql("SELECT conname FROM pg_constraint WHERE conrelid = 'child'::regclass AND contype = 'f'") == [
        ("child_parent_id_fk",)
    ]
    assert sql(
        "SELECT conname FROM pg_constraint WHERE conrelid = 'parent'::regclass AND contype = 'u' ORDER BY 1"
    ) == [
        ("parent_project_id_code_key",),
        ("parent_project_id_id_key",),
    ]


@pytest.mark.parametrize("write", ["UPDATE child SET parent_code = 'x'", "DELETE FROM child", "TRUNCATE child"])
def test_an_append_only_table_refuses_even_its_owner(write: str) -> None:
    apply(refuse_writes("child", message="It's only appended to, 100% sure."))
    fill()
    with pytest.raises(IntegrityError, match=r"It's only appended to, 100% sure\."):
        sql(write)
    sql("INSERT INTO child (project_id) VALUES (3)")
    assert children() == [(1, 1, "a"), (2, 2, "b"), (3, None, None)]


def test_only_the_named_writes_are_refused() -> None:
    apply(refuse_writes("child", ("DELETE",)))
    fill()
    sql("UPDATE child SET parent_code = 'x' WHERE project_id = 1")
    with pytest.raises(IntegrityError, match=r"This table is append-only\."):
        sql("DELETE FROM child")
    assert len(children()) == 2
    sql("TRUNCATE child")
    assert children() == []


def test_partitions_refuse_too_those_made_later_included() -> None:
    sql("CREATE TABLE log (at int, note text) PARTITION BY RANGE (at)")
    sql("CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (0) TO (10)")
    apply(refuse_writes("log"))
    sql("CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (10) TO (20)")
    sql("INSERT INTO log VALUES (1, 'a'), (11, 'b')")
    for table in ("log", "log_1", "log_2"):
        for write in (f"UPDATE {table} SET note = 'x'", f"DELETE FROM {table}"):
            with pytest.raises(IntegrityError, match="append-only"):
                sql(write)
    assert sql("SELECT * FROM log ORDER BY 1") == [(1, "a"), (11, "b")]


def test_mistakes_are_told_at_once() -> None:
    with pytest.raises(ValueError, match="63 bytes"):
        composite_fk("t" * 50, "some_quite_long_column_id", "parent")
    with pytest.raises(ValueError, match="on_delete"):
        composite_fk("child", "parent_id", "parent", on_delete="SET DEFAULT")
    with pytest.raises(ValueError, match="2 columns"):
        composite_fk("child", ("parent_id", "parent_code"), "parent")
    with pytest.raises(ValueError, match="INSERT"):
        refuse_writes("child", ("INSERT",))
    with pytest.raises(ValueError, match="nothing"):
        refuse_writes("child", ())
