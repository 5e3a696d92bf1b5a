"""What is kept of a trace's messages goes with them."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("traces", "0006_kept")]
    operations = [
        migrations.RunSQL(
            load("apps.traces", "kept_after"),
            "DROP TRIGGER forget_words ON traces_message; DROP FUNCTION traces_forget_words();",
        ),
    ]
