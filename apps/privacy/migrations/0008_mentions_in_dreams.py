"""A person is looked for in dream runs and in what sessions held, too."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0007_mentions_everywhere"),
        ("dreaming", "0002_rules"),
        ("traces", "0009_session_messages"),
    ]
    operations = [
        migrations.RunSQL(load("apps.privacy", "mentioning_dreams"), load("apps.privacy", "mentioning_more")),
    ]
