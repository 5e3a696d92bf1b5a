"""Which messages a run has looked at: the ledger by which nothing is mined twice and nothing skipped."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("extraction", "0003_trust"), ("traces", "0004_by_hand")]
    operations = [
        migrations.AddField("extractionrun", "mined", ArrayField(models.BigIntegerField(), null=True)),
    ]
