"""Whom a fact is told for and as what, when it last changed, and what was withdrawn without a trace."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security
from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0004_contested"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.RunSQL(
            load("apps.facts", "as_told"),
            "DROP FUNCTION fact_loose_hash(text);"
            "DROP FUNCTION fact_brief(bigint, text, text, float8, float8, text, text, text, timestamptz, text[], text[]);"
            "DROP FUNCTION fact_head(bigint, text, text, float8, float8, text, text, text, timestamptz)",
        ),
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fact_id", models.BigIntegerField()),
                ("scope", models.CharField(max_length=10)),
                ("agent_id", models.UUIDField(null=True)),
                ("sensitivity", models.CharField(max_length=10)),
                ("reason", models.CharField(max_length=12)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveIndex(
            model_name="fact",
            name="facts_fact_agent_hot_idx",
        ),
        migrations.RemoveIndex(
            model_name="fact",
            name="facts_fact_shared_hot_idx",
        ),
        migrations.AddField(
            model_name="fact",
            name="loose_hash",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(models.F("content"), function="fact_loose_hash"),
                output_field=models.UUIDField(),
            ),
        ),
        migrations.AddField(
            model_name="fact",
            name="purposes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60), null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="fact",
            name="task_types",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60), null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="fact",
            name="updated_at",
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        # What was closed before did not change with this migration; the trigger that keeps the time has no say here.
        migrations.RunSQL(
            "ALTER TABLE facts_fact ALTER COLUMN updated_at TYPE timestamptz"
            " USING greatest(created_at, superseded_at, retired_at, restricted_at, contested_at)",
            migrations.RunSQL.noop,
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(fields=["project", "updated_at", "id"], name="facts_fact_updated_idx"),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["project", "expires_at"],
                name="facts_fact_expires_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("valid_to__isnull", False)),
                fields=["project", "valid_to"],
                name="facts_fact_valid_to_idx",
            ),
        ),
        migrations.AddConstraint(
            model_name="fact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purposes", None), models.Q(("purposes__len__gte", 1), ("purposes__len__lte", 20)), _connector="OR"
                ),
                name="facts_fact_purposes_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="fact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("task_types", None),
                    models.Q(("task_types__len__gte", 1), ("task_types__len__lte", 20)),
                    _connector="OR",
                ),
                name="facts_fact_task_types_chk",
            ),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddField(
            model_name="fact",
            name="brief",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(
                    models.F("id"),
                    models.F("content"),
                    models.F("category"),
                    models.F("importance"),
                    models.F("confidence"),
                    models.F("scope"),
                    models.F("scope_id"),
                    models.F("source"),
                    models.F("approved_at"),
                    models.F("purposes"),
                    models.F("task_types"),
                    function="fact_brief",
                ),
                output_field=models.TextField(null=True),
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True),
                    ("superseded_at__isnull", True),
                    ("agent__isnull", False),
                    ("label", ""),
                ),
                fields=["project", "agent", "scope", "scope_id", "-importance", "-id"],
                include=(
                    "brief",
                    "norm_hash",
                    "loose_hash",
                    "attribute",
                    "contested_at",
                    "category",
                    "sensitivity",
                    "memory_type",
                    "restricted_at",
                    "expires_at",
                    "valid_from",
                    "valid_to",
                ),
                name="facts_fact_agent_hot_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True),
                    ("superseded_at__isnull", True),
                    ("agent__isnull", True),
                    ("label", ""),
                ),
                fields=["project", "scope", "scope_id", "-importance", "-id"],
                include=(
                    "brief",
                    "norm_hash",
                    "loose_hash",
                    "attribute",
                    "contested_at",
                    "category",
                    "sensitivity",
                    "memory_type",
                    "restricted_at",
                    "expires_at",
                    "valid_from",
                    "valid_to",
                ),
                name="facts_fact_shared_hot_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="withdrawal",
            index=models.Index(fields=["project", "at", "id"], name="facts_withdrawal_at_idx"),
        ),
        migrations.AddConstraint(
            model_name="withdrawal",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason__in", ["forgotten", "sensitivity"])), name="facts_withdrawal_reason_chk"
            ),
        ),
        composite_unique("facts_withdrawal"),
        row_security("facts_withdrawal"),
        migrations.RunSQL(load("apps.facts", "append_only_updated"), load("apps.facts", "append_only_marks")),
        migrations.RunSQL(
            load("apps.facts", "withdrawals"),
            "DROP TRIGGER facts_forgotten ON facts_fact; DROP TRIGGER facts_more_sensitive ON facts_fact;"
            "DROP FUNCTION facts_note_withdrawal()",
        ),
        # What a read takes from the indexes alone has to be known as visible to all: vacuum says so, and it is
        # quick where little is new.
        migrations.RunSQL(
            "ALTER TABLE facts_fact SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)",
            "ALTER TABLE facts_fact RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)",
        ),
    ]
