"""For how long what is kept becomes a table of rules; what was chosen before becomes its first ones."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0009_wipe"),
        ("tenancy", "0007_closed"),
    ]

    operations = [
        migrations.CreateModel(
            name="RetentionRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("store", models.CharField(max_length=12)),
                ("scope", models.CharField(blank=True, default="", max_length=10)),
                ("category", models.CharField(blank=True, default="", max_length=60)),
                ("sensitivity", models.CharField(blank=True, default="", max_length=10)),
                ("keep_days", models.IntegerField(null=True)),
                ("purge_days", models.IntegerField(null=True)),
                ("review_days", models.IntegerField(null=True)),
                ("changed_by", models.CharField(max_length=64)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.UniqueConstraint(
                fields=("project", "store", "scope", "category", "sensitivity"), name="privacy_retention_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("store__in", ["facts", "traces", "sessions", "reads", "answers", "rejected"])),
                name="privacy_retention_store_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("store__in", ["facts", "rejected"]),
                    models.Q(("category", ""), ("scope", ""), ("sensitivity", "")),
                    _connector="OR",
                ),
                name="privacy_retention_narrowed_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("store", "facts"), models.Q(("purge_days", None), ("review_days", None)), _connector="OR"
                ),
                name="privacy_retention_facts_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("keep_days", None), models.Q(("keep_days__gte", 1), ("keep_days__lte", 3650)), _connector="OR"
                ),
                name="privacy_retention_keep_days_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purge_days", None), models.Q(("purge_days__gte", 0), ("purge_days__lte", 3650)), _connector="OR"
                ),
                name="privacy_retention_purge_days_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("review_days", None),
                    models.Q(("review_days__gte", 1), ("review_days__lte", 3650)),
                    _connector="OR",
                ),
                name="privacy_retention_review_days_chk",
            ),
        ),
        composite_unique("privacy_retentionrule"),
        row_security("privacy_retentionrule"),
        migrations.RunSQL(
            "INSERT INTO privacy_retentionrule (project_id, store, scope, category, sensitivity, keep_days, changed_by, updated_at)"
            " SELECT s.project_id, v.store, '', '', '', v.days, 'system:setup', s.updated_at FROM privacy_retentionsettings s,"
            " LATERAL (VALUES ('traces', s.traces_days), ('reads', s.reads_days), ('rejected', s.rejected_days)) v (store, days)"
            " WHERE v.days IS NOT NULL",
            migrations.RunSQL.noop,
        ),
        migrations.DeleteModel(
            name="RetentionSettings",
        ),
    ]
