"""Packages that nobody fetched go after a week."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("privacy", "0005_restorations")]
    operations = [
        migrations.RunSQL(load("apps.privacy", "expire_packages"), "DROP FUNCTION expire_packages(interval);"),
    ]
