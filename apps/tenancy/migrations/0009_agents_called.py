"""Agents with a part of a name are found in the index of names alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0008_agent_versions")]

    operations = [
        migrations.RemoveConstraint(model_name="agent", name="tenancy_agent_name_uniq"),
        migrations.AddConstraint(
            model_name="agent",
            constraint=models.UniqueConstraint(
                fields=("project", "name"), include=("id",), name="tenancy_agent_name_uniq"
            ),
        ),
    ]
