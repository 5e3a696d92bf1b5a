"""Row-level security, composite keys, and the trigger that makes facts append-only."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = ["facts_fact", "facts_factsource", "facts_factderivation", "facts_operationalvalue"]


class Migration(migrations.Migration):
    dependencies = [("facts", "0001_initial"), ("traces", "0002_rules")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("facts_fact", "agent_id", "tenancy_agent", on_delete="RESTRICT"),
        composite_fk("facts_fact", "subject_id", "tenancy_subject", on_delete="RESTRICT", index=False),
        composite_fk("facts_fact", "superseded_by_id", "facts_fact", on_delete="SET NULL"),
        # A row is closed before its successor is written: both may say the same, and one row of that may be current.
        migrations.RunSQL(
            "ALTER TABLE facts_fact ALTER CONSTRAINT facts_fact_superseded_by_id_fk DEFERRABLE INITIALLY DEFERRED",
            migrations.RunSQL.noop,
        ),
        composite_fk("facts_fact", "source_trace_id", "traces_trace", to_columns="trace_id", on_delete="SET NULL"),
        composite_fk("facts_factsource", "fact_id", "facts_fact", on_delete="CASCADE"),
        composite_fk("facts_factsource", "subject_id", "tenancy_subject", on_delete="SET NULL", index=False),
        composite_fk("facts_factsource", "trace_id", "traces_trace", to_columns="trace_id", on_delete="CASCADE"),
        composite_fk("facts_factsource", "message_id", "traces_message", on_delete="SET NULL"),
        composite_fk("facts_factderivation", "child_id", "facts_fact", on_delete="CASCADE", index=False),
        composite_fk("facts_factderivation", "parent_id", "facts_fact", on_delete="CASCADE"),
        composite_fk("facts_operationalvalue", "agent_id", "tenancy_agent", on_delete="CASCADE", index=False),
        composite_fk("facts_operationalvalue", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        migrations.RunSQL(
            load("apps.facts", "append_only"),
            "DROP TRIGGER append_only ON facts_fact; DROP TRIGGER own_scope ON facts_fact;"
            "DROP TRIGGER no_truncate ON facts_fact;"
            "DROP FUNCTION facts_append_only(); DROP FUNCTION facts_own_scope();",
        ),
    ]
