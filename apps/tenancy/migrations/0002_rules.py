"""Row-level security, composite keys, and names that never change."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security

KEEP_NAMES = """
CREATE FUNCTION tenancy_keep_names() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF to_jsonb(NEW) ->> TG_ARGV[0] IS DISTINCT FROM to_jsonb(OLD) ->> TG_ARGV[0] THEN
        RAISE EXCEPTION 'the % of a % never changes', TG_ARGV[0], TG_TABLE_NAME USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_names BEFORE UPDATE OF slug ON tenancy_project
    FOR EACH ROW EXECUTE FUNCTION tenancy_keep_names('slug');
CREATE TRIGGER keep_names BEFORE UPDATE OF name ON tenancy_agent
    FOR EACH ROW EXECUTE FUNCTION tenancy_keep_names('name');
"""
REVERSE = """
DROP TRIGGER keep_names ON tenancy_agent;
DROP TRIGGER keep_names ON tenancy_project;
DROP FUNCTION tenancy_keep_names();
"""
TABLES = [
    "tenancy_agent",
    "tenancy_clientinstance",
    "tenancy_subject",
    "tenancy_subjectalias",
    "tenancy_tombstone",
]


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0001_initial"), ("core", "0001_roles")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("tenancy_subjectalias", "subject_id", "tenancy_subject", on_delete="CASCADE"),
        migrations.RunSQL(KEEP_NAMES, REVERSE),
    ]
