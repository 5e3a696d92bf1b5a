"""Agents as they registered themselves over time; what is known of before is the newest."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security

NEWEST = """
INSERT INTO tenancy_agentversion (project_id, agent_id, version, agent_type, system_prompt, definition, registered_at)
SELECT project_id, id, version, agent_type, system_prompt, definition, registered_at FROM tenancy_agent
"""


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0007_closed")]

    operations = [
        migrations.CreateModel(
            name="AgentVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.IntegerField()),
                ("agent_type", models.CharField(max_length=60)),
                ("system_prompt", models.TextField(blank=True)),
                ("definition", models.JSONField()),
                ("registered_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="versions",
                        to="tenancy.agent",
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
                "constraints": [
                    models.UniqueConstraint(fields=("project", "agent", "version"), name="tenancy_agentversion_uniq")
                ],
            },
        ),
        composite_unique("tenancy_agentversion"),
        composite_fk("tenancy_agentversion", "agent_id", "tenancy_agent", on_delete="CASCADE", index=False),
        row_security("tenancy_agentversion"),
        migrations.RunSQL(NEWEST, migrations.RunSQL.noop),
    ]
