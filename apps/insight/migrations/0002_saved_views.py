"""Filters of the list of facts under a name."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from apps.core.ddl import composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [("insight", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.JSONField()),
                ("shared", models.BooleanField(default=False)),
                ("is_default", models.BooleanField(default=False)),
                ("made_at", models.DateTimeField(db_default=Now())),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project"], condition=Q(shared=True), name="insight_view_shared_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["project", "user", "name"], name="insight_view_name_uniq"),
                    models.UniqueConstraint(
                        fields=["project", "user"], condition=Q(is_default=True), name="insight_view_default_uniq"
                    ),
                    models.CheckConstraint(condition=~Q(name="") & ~Q(query={}), name="insight_view_says_chk"),
                ],
            },
        ),
        composite_unique("insight_savedview"),
        row_security("insight_savedview"),
    ]
