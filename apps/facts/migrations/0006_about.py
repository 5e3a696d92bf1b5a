"""Everything about one subject, in order."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0005_audience"),
        ("tenancy", "0003_sought"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True), ("superseded_at__isnull", True), ("subject__isnull", False)
                ),
                fields=["project", "subject", "-id"],
                include=("sensitivity", "source", "restricted_at", "expires_at", "valid_from", "valid_to"),
                name="facts_fact_subject_now_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    models.Q(("superseded_at__isnull", False), ("retired_at__isnull", False), _connector="OR"),
                    ("subject__isnull", False),
                ),
                fields=["project", "subject", "-id"],
                include=("sensitivity",),
                name="facts_fact_subject_past_idx",
            ),
        ),
    ]
