"""What a closed fact said is found by its words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("facts", "0015_corrected")]
    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=["project", "norm_hash"],
                condition=models.Q(superseded_at__isnull=False) | models.Q(retired_at__isnull=False),
                name="facts_fact_hash_past_idx",
            ),
        ),
    ]
