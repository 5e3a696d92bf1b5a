"""What sessions held is found by its time, for retention; summaries name messages of traces too."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0008_agent_versions"),
        ("traces", "0010_open"),
    ]

    operations = [
        migrations.AddField(
            model_name="sessionmessage",
            name="stands_for_said",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="sessionmessage",
            index=models.Index(fields=["project", "at", "id"], name="traces_sessionmessage_at_idx"),
        ),
        migrations.AddConstraint(
            model_name="sessionmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("stands_for_said", []), ("role", "summary"), _connector="OR"),
                name="traces_sessionmessage_said_chk",
            ),
        ),
    ]
