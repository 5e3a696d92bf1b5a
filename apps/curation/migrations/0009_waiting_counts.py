"""What waits is counted up to a thousand, and conflicts too."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("curation", "0008_duplicates")]
    operations = [
        migrations.RunSQL("DROP FUNCTION waiting_counts(bigint)", load("apps.curation", "waiting_counts")),
        migrations.RunSQL(load("apps.curation", "waiting_counts_capped"), "DROP FUNCTION waiting_counts(bigint, int)"),
    ]
