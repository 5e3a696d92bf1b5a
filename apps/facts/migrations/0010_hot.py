"""What the hot read tells, in narrow rows of their own."""

from django.db import migrations, models

from apps.core.ddl import row_security
from apps.core.sqlfiles import load

TABLES = ["facts_hot", "facts_hot_agent", "facts_hot_project", "facts_hot_user"]


class Migration(migrations.Migration):
    dependencies = [("facts", "0009_lists")]

    operations = [
        migrations.CreateModel(
            name="HotFact",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("project_id", models.BigIntegerField()),
                ("agent_id", models.UUIDField()),
                ("importance", models.FloatField()),
                ("loose_hash", models.UUIDField()),
                ("contested_at", models.DateTimeField(null=True)),
                ("restricted_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("valid_from", models.DateTimeField(null=True)),
                ("valid_to", models.DateTimeField(null=True)),
                ("scope", models.TextField()),
                ("scope_id", models.TextField()),
                ("norm_hash", models.BinaryField()),
                ("sensitivity", models.TextField()),
                ("category", models.TextField()),
                ("memory_type", models.TextField()),
                ("attribute", models.TextField(null=True)),
                ("brief", models.TextField(null=True)),
            ],
            options={"db_table": "facts_hot", "managed": False},
        ),
        migrations.RunSQL(
            load("apps.facts", "hot"),
            "DROP TRIGGER hot_add ON facts_fact; DROP TRIGGER hot_keep ON facts_fact; DROP TRIGGER hot_drop ON facts_fact;"
            "DROP FUNCTION facts_hot_add(); DROP FUNCTION facts_hot_keep(); DROP TABLE facts_hot;"
            "DROP FUNCTION facts_told_through(uuid)",
        ),
        *[row_security(table) for table in TABLES],
    ]
