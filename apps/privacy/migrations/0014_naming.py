"""Names are found in other writings of them, and an id is no mention of another one that begins alike."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("privacy", "0013_lists")]
    operations = [
        migrations.RunSQL(
            load("apps.privacy", "naming"),
            "DROP FUNCTION privacy_naming(text[], text[], text[]); DROP FUNCTION privacy_needles(text[]);"
            "DROP FUNCTION privacy_folded(text)",
        ),
        migrations.RunSQL(
            "DROP FUNCTION privacy_mentioning(text[])",
            load("apps.privacy", "mentioning") + load("apps.privacy", "mentioning_dreams"),
        ),
    ]
