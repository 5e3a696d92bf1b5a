"""No two facts replace each other, through whatever number of others."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("facts", "0007_seen")]
    operations = [
        migrations.RunSQL(
            load("apps.facts", "no_circle"),
            "DROP TRIGGER facts_no_circle_at_once ON facts_fact; DROP TRIGGER facts_no_circle_later ON facts_fact;"
            "DROP FUNCTION facts_no_circle()",
        )
    ]
