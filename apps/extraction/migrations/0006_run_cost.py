"""The cost of the latest runs stands in their index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("extraction", "0005_judge"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="extractionrun",
            name="extraction_run_recent_idx",
        ),
        migrations.AddIndex(
            model_name="extractionrun",
            index=models.Index(fields=["project", "-finished_at"], include=("cost",), name="extraction_run_recent_idx"),
        ),
    ]
