"""An index that counts a project's current facts without reading them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0006_about"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "sensitivity"],
                name="facts_fact_seen_idx",
            ),
        ),
    ]
