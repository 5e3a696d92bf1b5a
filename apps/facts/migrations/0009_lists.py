"""The console's lists: an index for each order, which knows what the filters ask, and search by parts of words."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0008_no_circle"),
        ("tenancy", "0003_sought"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="fact",
            name="facts_fact_scope_list_idx",
        ),
        migrations.RemoveIndex(
            model_name="fact",
            name="facts_fact_expires_idx",
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=[
                    "project",
                    "-id",
                    "scope",
                    "scope_id",
                    "source",
                    "category",
                    "memory_type",
                    "sensitivity",
                    "confidence",
                    "superseded_at",
                    "retired_at",
                    "restricted_at",
                    "expires_at",
                ],
                include=("valid_from", "valid_to"),
                name="facts_fact_newest_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=[
                    "project",
                    "scope",
                    "scope_id",
                    "id",
                    "source",
                    "category",
                    "memory_type",
                    "sensitivity",
                    "confidence",
                    "superseded_at",
                    "retired_at",
                    "restricted_at",
                    "expires_at",
                ],
                include=("valid_from", "valid_to"),
                name="facts_fact_place_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=[
                    "project",
                    "confidence",
                    "id",
                    "scope",
                    "scope_id",
                    "source",
                    "category",
                    "memory_type",
                    "sensitivity",
                    "superseded_at",
                    "retired_at",
                    "restricted_at",
                    "expires_at",
                ],
                include=("valid_from", "valid_to"),
                name="facts_fact_confidence_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "source", "-id"],
                name="facts_fact_source_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "category", "-id"],
                name="facts_fact_category_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(
                    ("retired_at__isnull", True), ("superseded_at__isnull", True), ("restricted_at__isnull", False)
                ),
                fields=["project", "-id"],
                name="facts_fact_held_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["project", "expires_at", "id"],
                name="facts_fact_ends_idx",
            ),
        ),
        migrations.RunSQL(load("apps.facts", "saying"), "DROP FUNCTION facts_saying(text[], int)"),
    ]
