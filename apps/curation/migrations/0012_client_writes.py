"""What clients wrote that waits for a person: whose word a proposal is, and where it would stand."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0011_counted"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="WaitingWrite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("writer", models.CharField(max_length=64)),
                ("label", models.CharField(blank=True, default="", max_length=255)),
                ("key", models.CharField(max_length=512, null=True)),
                ("value", models.JSONField(null=True)),
                ("source", models.CharField(max_length=10)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                (
                    "proposal",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="writes",
                        to="curation.proposal",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "writer", "-id"], name="curation_waitingwrite_own_idx")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "proposal", "writer"), name="curation_waitingwrite_uniq"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("writer", ""), _negated=True), name="curation_waitingwrite_writer_chk"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key__isnull", False), ("value__isnull", True), _connector="OR"),
                        name="curation_waitingwrite_value_chk",
                    ),
                ],
            },
        ),
        composite_unique("curation_waitingwrite"),
        composite_fk("curation_waitingwrite", "proposal_id", "curation_proposal", on_delete="CASCADE", index=False),
        row_security("curation_waitingwrite"),
    ]
