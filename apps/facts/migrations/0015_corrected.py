"""Wording that was corrected is found by the day of it, for retention."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0014_client_writes"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("restricted_reason", "correction"), ("superseded_by__isnull", False)),
                fields=["project", "superseded_at"],
                name="facts_fact_corrected_idx",
            ),
        ),
    ]
