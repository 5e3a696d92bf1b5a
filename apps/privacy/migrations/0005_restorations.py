"""Restored databases, and the function by which tombstones are logged outside the database."""

import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0005_logged"),
        ("privacy", "0004_retention"),
    ]

    operations = [
        migrations.CreateModel(
            name="Restoration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("restored_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("replayed_at", models.DateTimeField(null=True)),
                ("report", models.JSONField(db_default={}, default=dict)),
            ],
        ),
        migrations.RunSQL(load("apps.privacy", "log_tombstones"), "DROP FUNCTION log_tombstones(int);"),
    ]
