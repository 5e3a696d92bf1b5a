"""The catalog itself says whether tenancy holds: every table, every key, every index."""

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, connections

pytestmark = pytest.mark.django_db

# Users, sessions, memberships, projects and keys hold no memory text and are looked up before a project is known.
# Tries of a password are counted before anybody is known, by keyed digests.
# An invitation is found by its link alone, by somebody who is no member yet.
# Which embedder serves, and which workers are there, is one answer for all projects.
# Backups and purges are of the whole installation, and hold times and names of tables.
WITHOUT_POLICY = {
    "access_user", "access_membership", "access_invitation", "access_apikey", "access_signincount", "tenancy_project", "recall_embeddingmodel",
    "privacy_backup", "privacy_purge", "privacy_restoration", "extraction_worker",
}  # fmt: skip


def rows(sql: str, *values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def our_tables() -> set[str]:
    models = {m._meta.db_table for m in apps.get_models() if m.__module__.startswith("apps.")}
    partitions = {
        name for (name,) in rows("SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhparent "
                                 "WHERE relname IN ('recall_readledger', 'facts_hot') AND relkind = 'p'")
    }  # fmt: skip
    return models | partitions


def content_tables() -> set[str]:
    return our_tables() - WITHOUT_POLICY


def test_row_security_is_enabled_and_forced_with_both_policies() -> None:
    flags = {
        name: (enabled, forced)
        for name, enabled, forced in rows(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relkind IN ('r', 'p')"
        )
    }
    assert {table: flags[table] for table in content_tables()} == dict.fromkeys(content_tables(), (True, True))
    policies = rows("SELECT tablename, policyname, roles::text[], qual, with_check FROM pg_policies")
    for table in content_tables():
        mine = {name: (roles, qual, check) for t, name, roles, qual, check in policies if t == table}
        assert set(mine) == {"project", "owner"}, table
        roles, qual, check = mine["project"]
        assert roles == ["public"] and "app.project_id" in qual and qual == check, table
        assert mine["owner"] == ([settings.DATABASES["owner"]["USER"]], "true", "true"), table


def test_the_application_owns_nothing_and_cannot_bypass() -> None:
    assert rows("SELECT current_user") == [(settings.DATABASES["default"]["USER"],)]
    assert rows(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    ) == [(False, False, False, False)]
    assert rows("SELECT relname FROM pg_class WHERE relowner = current_user::regrole") == []
    assert rows(
        "SELECT has_schema_privilege('public', 'CREATE'), has_table_privilege('django_migrations', 'INSERT')"
    ) == [(False, False)]
    assert rows(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        " AND has_table_privilege(oid, 'TRUNCATE')"
    ) == []  # fmt: skip


def test_unbound_sees_no_row_of_any_content_table() -> None:
    for table in content_tables():
        if not table.startswith("audit_"):
            assert rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_every_content_table_has_a_composite_key() -> None:
    uniques = {
        (table, tuple(columns))
        for table, columns in rows(
            "SELECT conrelid::regclass::text, array_agg(attname::text ORDER BY k.n) FROM pg_constraint c,"
            " unnest(conkey) WITH ORDINALITY k(attnum, n), pg_attribute a"
            " WHERE contype IN ('u', 'p') AND a.attrelid = conrelid AND a.attnum = k.attnum GROUP BY c.oid, conrelid"
        )
    }
    for table in content_tables():
        if not table.startswith(("recall_readledger", "facts_hot", "audit_")):
            assert (table, ("project_id", "id")) in uniques, table


def foreign_keys() -> list[tuple]:
    return rows(
        "SELECT conrelid::regclass::text, conname, confrelid::regclass::text, confdeltype::text,"
        " array(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY k(n, i) JOIN pg_attribute"
        "  ON attrelid = conrelid AND attnum = k.n ORDER BY k.i),"
        " array(SELECT attname::text FROM unnest(confdelsetcols) k(n) JOIN pg_attribute"
        "  ON attrelid = conrelid AND attnum = k.n)"
        " FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace"
    )


def test_foreign_keys_between_content_tables_carry_the_project() -> None:
    content = content_tables()
    seen = 0
    for table, name, target, action, columns, emptied in foreign_keys():
        if table in content and target in content:
            seen += 1
            assert columns[0] == "project_id", name
            # Row-level security does not guard foreign keys, and emptying project_id would orphan the row.
            assert action != "n" or emptied == columns[1:], name
    assert seen >= 35


def test_every_relation_between_content_models_has_its_foreign_key() -> None:
    found = {(table, columns[-1]) for table, _, _, _, columns, _ in foreign_keys()}
    for model in apps.get_models():
        if model._meta.db_table in content_tables():
            for field in model._meta.concrete_fields:
                if field.is_relation:
                    assert (model._meta.db_table, field.column) in found, f"{model.__name__}.{field.name}"


def indexes() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for table, columns in rows(
        "SELECT indrelid::regclass::text, array(SELECT attname::text FROM unnest(indkey) WITH ORDINALITY k(n, i)"
        " JOIN pg_attribute ON attrelid = indrelid AND attnum = k.n ORDER BY k.i) FROM pg_index WHERE indpred IS NULL"
    ):
        found.setdefault(table, []).append(columns)
    return found


def test_every_foreign_key_has_an_index_that_begins_with_its_columns() -> None:
    by_table = indexes()
    content = content_tables()
    for table, name, target, _, columns, _ in foreign_keys():
        if table in content and target in content:
            assert any(index[: len(columns)] == columns for index in by_table[table]), name


def test_tables_with_personal_data_are_found_by_subject() -> None:
    by_table = indexes()
    personal = [
        m._meta.db_table
        for m in apps.get_models()
        if m._meta.db_table in content_tables() and any(f.column == "subject_id" for f in m._meta.concrete_fields)
    ]
    assert len(personal) == 20
    for table in personal:
        assert any(index[:2] == ["project_id", "subject_id"] for index in by_table[table]), table


def test_functions_that_cross_projects_are_a_short_list() -> None:
    assert {name for (name,) in rows(
        "SELECT proname::text FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace"
    )} == {
        "claim_work", "expired_leases", "waiting_counts", "waiting_runs", "ensure_partitions", "sealed_spans", "facts_to_embed", "facts_to_compare",
        "embedding_coverage", "projects_with_vectors", "open_chain_checks", "overdue_requests",
        "claim_deliveries", "webhooks_behind", "projects_with_old_deliveries",
        "roll_up_reads", "projects_to_count", "claim_requests", "claim_dreams", "projects_that_dream", "privacy_naming", "package_of", "log_tombstones", "expire_packages", "claim_imports", "imports_to_empty",
        "audit_heads", "note_signed_head",
        "facts_saying", "near_facts", "facts_told_saying", "facts_left_out_saying",  # these ask for the bound project themselves
    }  # fmt: skip
    assert rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang = "
        "(SELECT oid FROM pg_language WHERE lanname = 'plpgsql') AND proconfig IS NULL"
        " AND proname NOT LIKE '%%refuse_write'"
    ) == []  # fmt: skip


def test_no_function_looks_into_the_callers_temporary_schema_first() -> None:
    # A temporary schema that a search_path does not name is searched before all others, tables and views of it too.
    found = rows(
        "SELECT proname::text, proconfig FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proconfig IS NOT NULL"
    )
    assert len(found) >= 10
    for name, config in found:
        paths = [one for one in config if one.startswith("search_path=")]
        assert paths == ["search_path=pg_catalog, public, pg_temp"], name


def test_the_ledger_has_partitions_for_three_months_ahead() -> None:
    months = rows(
        "SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n), 'YYYY_MM')"
        " FROM generate_series(0, 3) n"
    )
    tables = our_tables()
    assert {f"recall_readledger_{month}" for (month,) in months} | {"recall_readledger_default"} <= tables


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_data_migration_of_the_owner_sees_every_row() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT current_user, row_security_active('facts_fact')")
        assert cursor.fetchone() == (settings.DATABASES["owner"]["USER"], True)
        cursor.execute("SELECT qual FROM pg_policies WHERE tablename = 'facts_fact' AND policyname = 'owner'")
        assert cursor.fetchone() == ("true",)
