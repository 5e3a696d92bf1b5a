"""What a project sorts its facts into, and how many facts of each a reader sees from the index alone."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [("facts", "0011_lean"), ("tenancy", "0005_logged")]

    operations = [
        migrations.CreateModel(
            name="Category",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("retired_at", models.DateTimeField(null=True)),
                ("now_called", models.CharField(blank=True, default="", max_length=60)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "name"), name="facts_category_uniq"),
                    models.CheckConstraint(condition=models.Q(("name__regex", "\\S")), name="facts_category_name_chk"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("now_called", ""),
                            models.Q(
                                ("retired_at__isnull", False),
                                models.Q(("now_called", models.F("name")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="facts_category_moved_chk",
                    ),
                ],
            },
        ),
        composite_unique("facts_category"),
        row_security("facts_category"),
        migrations.RemoveIndex(model_name="fact", name="facts_fact_category_idx"),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("retired_at__isnull", True), ("superseded_at__isnull", True)),
                fields=["project", "category", "-id"],
                include=("sensitivity",),
                name="facts_fact_filed_idx",
            ),
        ),
    ]
