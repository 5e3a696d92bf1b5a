"""Facts beside a proposal, looked for at a price that does not grow."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("curation", "0009_waiting_counts"), ("facts", "0011_lean")]

    operations = [
        migrations.RunSQL(
            load("apps.curation", "near_facts"), "DROP FUNCTION near_facts(text, text, text, real, int, int)"
        ),
    ]
