"""Row-level security, composite keys, and the counts of what waits."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = [
    "curation_proposal",
    "curation_proposaltarget",
    "curation_proposalevidence",
    "curation_conflict",
    "curation_conflictside",
]


class Migration(migrations.Migration):
    dependencies = [("curation", "0001_initial"), ("facts", "0002_rules"), ("access", "0001_initial")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("curation_proposal", "agent_id", "tenancy_agent", on_delete="RESTRICT"),
        composite_fk("curation_proposal", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        composite_fk("curation_proposal", "fact_id", "facts_fact", on_delete="SET NULL"),
        composite_fk(
            "curation_proposal",
            "source_trace_id",
            "traces_trace",
            to_columns="trace_id",
            on_delete="SET NULL",
            index=False,
        ),
        composite_fk("curation_proposaltarget", "proposal_id", "curation_proposal", on_delete="CASCADE", index=False),
        composite_fk("curation_proposaltarget", "fact_id", "facts_fact", on_delete="CASCADE"),
        composite_fk("curation_proposalevidence", "proposal_id", "curation_proposal", on_delete="CASCADE"),
        composite_fk("curation_proposalevidence", "subject_id", "tenancy_subject", on_delete="SET NULL", index=False),
        composite_fk(
            "curation_proposalevidence",
            "trace_id",
            "traces_trace",
            to_columns="trace_id",
            on_delete="CASCADE",
        ),
        composite_fk("curation_proposalevidence", "message_id", "traces_message", on_delete="SET NULL"),
        composite_fk("curation_conflict", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        composite_fk("curation_conflict", "agent_id", "tenancy_agent", on_delete="CASCADE"),
        composite_fk("curation_conflictside", "conflict_id", "curation_conflict", on_delete="CASCADE", index=False),
        composite_fk("curation_conflictside", "fact_id", "facts_fact", on_delete="CASCADE"),
        composite_fk("curation_conflictside", "proposal_id", "curation_proposal", on_delete="CASCADE"),
        migrations.RunSQL(load("apps.curation", "waiting_counts"), "DROP FUNCTION waiting_counts(bigint);"),
    ]
