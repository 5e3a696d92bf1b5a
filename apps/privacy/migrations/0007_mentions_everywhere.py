"""A person is looked for in each column that can name her: notes of conflicts, agents' own values, names of runs and sessions."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0006_expire_packages"),
        ("facts", "0011_lean"),
        ("curation", "0008_duplicates"),
        ("traces", "0008_order"),
        ("extraction", "0003_trust"),
    ]
    operations = [
        migrations.RunSQL(
            load("apps.privacy", "mentioning_more"),
            load("apps.privacy", "mentioning").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        )
    ]
