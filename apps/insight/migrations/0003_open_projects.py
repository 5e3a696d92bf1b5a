"""Nothing is counted of a project that was wiped and is closed."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("insight", "0002_saved_views"),
        ("tenancy", "0007_closed"),
    ]
    operations = [
        migrations.RunSQL(load("apps.insight", "to_count_open"), migrations.RunSQL.noop),
    ]
