"""Conflicts of sessions and other places, each its own."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("curation", "0003_validity")]
    operations = [
        migrations.AddField("conflict", "scope", models.CharField(max_length=10, blank=True, default="")),
        migrations.AddField("conflict", "scope_id", models.CharField(max_length=255, blank=True, default="")),
        migrations.RemoveConstraint("conflict", "curation_conflict_open_uniq"),
        migrations.AddConstraint(
            "conflict",
            models.UniqueConstraint(
                fields=["project", "subject", "agent", "scope", "scope_id", "attribute"],
                condition=Q(settled_at__isnull=True),
                nulls_distinct=False,
                name="curation_conflict_open_uniq",
            ),
        ),
        migrations.AddConstraint(
            "conflict",
            models.CheckConstraint(
                condition=Q(scope="", scope_id="")
                | Q(scope__in=["session", "other"], subject=None, agent=None) & Q(scope_id__regex=r"\S"),
                name="curation_conflict_place_chk",
            ),
        ),
    ]
