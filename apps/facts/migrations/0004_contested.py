"""A fact in dispute is told with that mark."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("facts", "0003_same_words")]
    operations = [
        migrations.AddField("fact", "contested_at", models.DateTimeField(null=True)),
        migrations.RunSQL(load("apps.facts", "append_only_marks"), migrations.RunSQL.noop),
    ]
