"""What a run asked of the injection judge, and what came of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("extraction", "0004_mined")]
    operations = [
        migrations.AddField("extractionrun", "judge", models.JSONField(default=dict, db_default={})),
    ]
