"""What clients write by themselves: values under any key, lists by when something was said, and writes done once."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0013_costs"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="WrittenOnce",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.BinaryField()),
                ("fact_id", models.BigIntegerField(null=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="fact",
            name="facts_fact_key_chk",
        ),
        migrations.RemoveConstraint(
            model_name="fact",
            name="facts_fact_retired_chk",
        ),
        migrations.AlterField(
            model_name="fact",
            name="key",
            field=models.CharField(max_length=512, null=True),
        ),
        migrations.AlterField(
            model_name="operationalvalue",
            name="key",
            field=models.CharField(max_length=512),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "scope", "scope_id", "label", "-observed_at", "-id"],
                name="facts_fact_said_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "scope", "label", "-observed_at", "-id"],
                name="facts_fact_all_said_idx",
            ),
        ),
        migrations.AddConstraint(
            model_name="fact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("key__isnull", True), ("value__isnull", True)),
                    models.Q(
                        ("key__isnull", False),
                        ("value__isnull", False),
                        models.Q(("key__startswith", "_"), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="facts_fact_key_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="fact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("retired_at__isnull", True), ("retired_reason", "")),
                    models.Q(
                        ("retired_at__isnull", False),
                        (
                            "retired_reason__in",
                            ["stale", "wrong", "duplicate", "expired", "merged", "policy", "undone", "removed"],
                        ),
                    ),
                    _connector="OR",
                ),
                name="facts_fact_retired_chk",
            ),
        ),
        migrations.AddField(
            model_name="writtenonce",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddIndex(
            model_name="writtenonce",
            index=models.Index(fields=["project", "at"], name="facts_writtenonce_at_idx"),
        ),
        migrations.AddConstraint(
            model_name="writtenonce",
            constraint=models.UniqueConstraint(fields=("project", "digest"), name="facts_writtenonce_uniq"),
        ),
        migrations.AddConstraint(
            model_name="writtenonce",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest__length", 32)), name="facts_writtenonce_digest_chk"
            ),
        ),
        composite_unique("facts_writtenonce"),
        row_security("facts_writtenonce"),
    ]
