"""How often each agent reads, day by day."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security
from apps.core.sqlfiles import load

# What was counted before, as far as the ledger still has it.
FILL = """
INSERT INTO recall_agentday (project_id, agent_id, day, reads, told, last_at)
SELECT l.project_id, l.agent_id, (l.at AT TIME ZONE 'UTC')::date, count(*), sum(cardinality(l.fact_ids)), max(l.at)
FROM recall_readledger l, recall_readscounted c, tenancy_project p
WHERE p.id = l.project_id AND l.agent_id IS NOT NULL AND (l.at, l.id) <= (c.at, c.id)
GROUP BY 1, 2, 3
"""


class Migration(migrations.Migration):
    dependencies = [
        ("recall", "0009_veiled"),
        ("tenancy", "0004_trace_tombstones"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("agent_id", models.UUIDField()),
                ("day", models.DateField()),
                ("reads", models.BigIntegerField()),
                ("told", models.BigIntegerField()),
                ("last_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "agent_id", "day"), name="recall_agentday_uniq"),
                    models.CheckConstraint(
                        condition=models.Q(("reads__gt", 0), ("told__gte", 0)), name="recall_agentday_counts_chk"
                    ),
                ],
            },
        ),
        composite_unique("recall_agentday"),
        row_security("recall_agentday"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(load("apps.recall", "roll_up_days"), migrations.RunSQL.noop),
    ]
