"""What was told, and to whom: counts that a worker keeps from the ledger."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0005_audience"),
        ("recall", "0007_embeddingmodel"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="FactServing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key_id", models.BigIntegerField(null=True)),
                ("agent_id", models.UUIDField(null=True)),
                ("reads", models.BigIntegerField()),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                (
                    "fact",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="servings",
                        to="facts.fact",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="tenancy.subject",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "subject"], name="recall_serving_subject_idx")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "fact", "key_id", "agent_id", "subject"),
                        name="recall_serving_uniq",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(condition=models.Q(("reads__gt", 0)), name="recall_serving_reads_chk"),
                    models.CheckConstraint(
                        condition=models.Q(("last_at__gte", models.F("first_at"))), name="recall_serving_times_chk"
                    ),
                ],
            },
        ),
        composite_unique("recall_factserving"),
        # The unique constraint and the index above begin with their columns.
        composite_fk("recall_factserving", "fact_id", "facts_fact", on_delete="CASCADE", index=False),
        composite_fk("recall_factserving", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        row_security("recall_factserving"),
        migrations.RunSQL(
            load("apps.recall", "roll_up_reads"), "DROP FUNCTION roll_up_reads; DROP TABLE recall_readscounted;"
        ),
    ]
