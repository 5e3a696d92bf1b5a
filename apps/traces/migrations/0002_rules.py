"""Row-level security, composite keys, and the functions by which workers find work across projects."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = ["traces_session", "traces_trace", "traces_span", "traces_message"]


class Migration(migrations.Migration):
    dependencies = [("traces", "0001_initial"), ("tenancy", "0002_rules")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        *[composite_fk(table, "subject_id", "tenancy_subject", on_delete="SET NULL", index=False) for table in TABLES],
        composite_fk("traces_trace", "agent_id", "tenancy_agent", on_delete="SET NULL"),
        composite_fk("traces_trace", "session_id", "traces_session", on_delete="SET NULL"),
        composite_fk(
            "traces_span", "trace_id", "traces_trace", to_columns="trace_id", on_delete="CASCADE", index=False
        ),
        composite_fk(
            "traces_message",
            "trace_id",
            "traces_trace",
            to_columns="trace_id",
            on_delete="CASCADE",
            index=False,
        ),
        migrations.RunSQL(
            load("apps.traces", "claim_work"),
            "DROP FUNCTION claim_work(text, int, interval, text, interval, interval);"
            "DROP FUNCTION expired_leases(text);",
        ),
    ]
