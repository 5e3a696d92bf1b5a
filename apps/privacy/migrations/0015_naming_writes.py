"""A person is looked for in what clients wrote that waits for a decision, too."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("privacy", "0014_naming"), ("curation", "0012_client_writes")]
    operations = [
        migrations.RunSQL(
            load("apps.privacy", "naming_writes"),
            "DROP FUNCTION privacy_naming(text[], text[], text[]); DROP FUNCTION privacy_needles(text[]);"
            "DROP FUNCTION privacy_folded(text);" + load("apps.privacy", "naming"),
        ),
    ]
