"""The queue by moment, subject, kind and person, without reading the rows that a filter leaves out."""

from django.db import migrations, models
from django.db.models import Q

UNDECIDED = ["pending", "quarantined"]


class Migration(migrations.Migration):
    dependencies = [("curation", "0004_conflict_places"), ("facts", "0005_audience"), ("tenancy", "0002_rules")]
    operations = [
        migrations.AddIndex(
            "proposal",
            models.Index(
                fields=["project", "-created_at", "-id"],
                include=[
                    *("state", "snoozed_until", "assignee", "sensitivity", "scope", "scope_id", "origin", "op"),
                    *("flags", "confidence", "agent", "source_trace_id"),
                ],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_waiting_idx",
            ),
        ),
        migrations.AddIndex(
            "proposal",
            models.Index(
                fields=["project", "scope", "scope_id", "created_at", "id"],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_place_idx",
            ),
        ),
        migrations.AddIndex(
            "proposal",
            models.Index(
                fields=["project", "op", "created_at", "id"],
                condition=Q(state__in=UNDECIDED),
                name="curation_proposal_op_idx",
            ),
        ),
        migrations.AddIndex(
            "proposal",
            models.Index(
                fields=["project", "assignee", "-created_at", "-id"],
                condition=Q(state__in=UNDECIDED, assignee__isnull=False),
                name="curation_proposal_assigned_idx",
            ),
        ),
        migrations.AddIndex(
            "proposal",
            models.Index(
                fields=["project", "state", "-decided_at", "-id"],
                condition=Q(decided_at__isnull=False),
                name="curation_proposal_decided_idx",
            ),
        ),
    ]
