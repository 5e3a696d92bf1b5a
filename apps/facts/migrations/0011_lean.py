"""The facts no longer hold what the hot rows do: neither what is told of them nor indexes with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("facts", "0010_hot"), ("recall", "0011_hot")]

    operations = [
        migrations.RemoveIndex(model_name="fact", name="facts_fact_agent_hot_idx"),
        migrations.RemoveIndex(model_name="fact", name="facts_fact_shared_hot_idx"),
        migrations.RemoveField(model_name="fact", name="brief"),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True),
                    ("superseded_at__isnull", True),
                    ("agent__isnull", False),
                    ("label", ""),
                ),
                fields=["project", "agent", "scope", "scope_id", "-importance", "-id"],
                name="facts_fact_agent_scope_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True),
                    ("superseded_at__isnull", True),
                    ("agent__isnull", True),
                    ("label", ""),
                ),
                fields=["project", "scope", "scope_id", "-importance", "-id"],
                name="facts_fact_shared_scope_idx",
            ),
        ),
    ]
