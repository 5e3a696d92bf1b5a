"""Runs that wait are counted for the page of all projects."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("dreaming", "0005_asked")]
    operations = [
        migrations.RunSQL(load("apps.dreaming", "waiting_runs"), "DROP FUNCTION waiting_runs(bigint, int)"),
    ]
