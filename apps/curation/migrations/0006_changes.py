"""Changes that can be taken back for a while."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

import apps.core.ids
from apps.core.ddl import composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [("curation", "0005_queue_indexes"), ("tenancy", "0002_rules")]
    operations = [
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.UUIDField(default=apps.core.ids.uuid7, primary_key=True, serialize=False)),
                ("made_by", models.CharField(max_length=64)),
                ("verb", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(db_default=Now())),
                ("items", models.JSONField()),
                ("undone_at", models.DateTimeField(null=True)),
                ("undone_by", models.CharField(blank=True, max_length=64)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "made_by", "-made_at"], name="curation_change_maker_idx")],
                "constraints": [
                    models.CheckConstraint(condition=~Q(made_by="") & ~Q(verb=""), name="curation_change_made_chk"),
                    models.CheckConstraint(
                        condition=Q(undone_at__isnull=True, undone_by="")
                        | Q(undone_at__isnull=False) & ~Q(undone_by=""),
                        name="curation_change_undone_chk",
                    ),
                ],
            },
        ),
        composite_unique("curation_change"),
        row_security("curation_change"),
    ]
