"""Figures that a worker counts, and how far each member has seen."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security
from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0004_trace_tombstones"),
        ("recall", "0008_servings"),
        ("curation", "0005_queue_indexes"),
        ("extraction", "0006_run_cost"),
        ("facts", "0007_seen"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Figures",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "project",
                    models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
                ),
                ("at", models.DateTimeField()),
                ("next_at", models.DateTimeField()),
                ("stamp", models.CharField(max_length=200)),
                ("counted", models.JSONField()),
            ],
            options={
                "indexes": [models.Index(fields=["next_at"], name="insight_figures_next_idx")],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("project", "user"), name="insight_visit_uniq")],
            },
        ),
        composite_unique("insight_visit"),
        row_security("insight_visit"),
        composite_unique("insight_figures"),
        row_security("insight_figures"),
        migrations.RunSQL(load("apps.insight", "to_count"), "DROP FUNCTION projects_to_count(int)"),
    ]
