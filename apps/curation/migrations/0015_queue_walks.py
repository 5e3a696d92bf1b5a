"""The queue by subject and by kind is walked without reading rows, and what is put off has an index of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0014_called"),
        ("facts", "0013_costs"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="proposal",
            name="curation_proposal_place_idx",
        ),
        migrations.RemoveIndex(
            model_name="proposal",
            name="curation_proposal_op_idx",
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                condition=models.Q(("state__in", ["pending", "quarantined"])),
                fields=["project", "scope", "scope_id", "created_at", "id"],
                include=(
                    *("state", "snoozed_until", "assignee", "sensitivity", "origin", "flags", "confidence", "agent"),
                    "source_trace_id",
                ),
                name="curation_proposal_place_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                condition=models.Q(("state__in", ["pending", "quarantined"])),
                fields=["project", "op", "created_at", "id"],
                include=(
                    "state",
                    "snoozed_until",
                    "assignee",
                    "sensitivity",
                    "origin",
                    "flags",
                    "confidence",
                    "agent",
                    "source_trace_id",
                    "scope",
                    "scope_id",
                ),
                name="curation_proposal_op_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                condition=models.Q(("snoozed_until__isnull", False), ("state__in", ["pending", "quarantined"])),
                fields=["project", "created_at", "id"],
                include=("snoozed_until", "sensitivity"),
                name="curation_proposal_later_idx",
            ),
        ),
    ]
