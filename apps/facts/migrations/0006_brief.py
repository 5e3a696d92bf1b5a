"""The hot read's indexes hold all that is told of nearly every fact."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0005_audience"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
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
            name="brief",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Case(
                    models.When(content__octets__lte=1000, purposes=None, task_types=None, then=models.F("content"))
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
                    "category",
                    "confidence",
                    "source",
                    "approved_at",
                    "attribute",
                    "contested_at",
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
                    "category",
                    "confidence",
                    "source",
                    "approved_at",
                    "attribute",
                    "contested_at",
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
        migrations.RunSQL(load("apps.facts", "append_only_brief"), load("apps.facts", "append_only_updated")),
        # What a read takes from the indexes alone has to be known as visible to all: vacuum says so, and it is
        # quick where little is new.
        migrations.RunSQL(
            "ALTER TABLE facts_fact SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)",
            "ALTER TABLE facts_fact RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)",
        ),
    ]
