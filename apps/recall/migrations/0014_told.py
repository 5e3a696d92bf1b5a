"""How often each fact was told in all, so that no list adds it up."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

FILL = """
INSERT INTO recall_facttold (project_id, fact_id, reads, last_at)
SELECT project_id, fact_id, sum(reads), max(last_at) FROM recall_factserving
WHERE agent_id IS NOT NULL GROUP BY project_id, fact_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0013_costs"),
        ("recall", "0013_explained"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="FactTold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reads", models.BigIntegerField()),
                ("last_at", models.DateTimeField()),
                (
                    "fact",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="told",
                        to="facts.fact",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project", "reads", "fact"], include=["last_at"], name="recall_told_most_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["project", "fact"], include=["reads", "last_at"], name="recall_told_uniq"
                    ),
                    models.CheckConstraint(condition=models.Q(("reads__gt", 0)), name="recall_told_reads_chk"),
                ],
            },
        ),
        composite_unique("recall_facttold"),
        # The unique constraint begins with its columns.
        composite_fk("recall_facttold", "fact_id", "facts_fact", on_delete="CASCADE", index=False),
        row_security("recall_facttold"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(
            load("apps.recall", "untold"),
            "DROP TRIGGER untold ON recall_factserving; DROP FUNCTION recall_untold()",
        ),
        migrations.RunSQL(load("apps.recall", "roll_up_told"), load("apps.recall", "roll_up_days")),
    ]
