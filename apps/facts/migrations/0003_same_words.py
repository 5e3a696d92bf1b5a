"""Finding what says the same words, whoever is told it."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("facts", "0002_rules")]
    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=["project", "norm_hash"],
                condition=Q(superseded_at__isnull=True, retired_at__isnull=True),
                name="facts_fact_hash_idx",
            ),
        ),
    ]
