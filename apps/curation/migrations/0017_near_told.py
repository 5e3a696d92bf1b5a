"""Facts near a statement are looked for first among the rows that reads are told from, which are narrow."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("curation", "0016_limits"), ("facts", "0018_asked"), ("recall", "0015_one_type")]

    operations = [
        migrations.RunSQL(load("apps.curation", "near_facts_told"), load("apps.curation", "near_facts_of_place")),
    ]
