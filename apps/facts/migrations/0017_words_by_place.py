"""The index of words is kept by project and place too, so that looking for words of one reads no row of another; and what
is kept for some reads has an index of its own."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("facts", "0016_closed_words"), ("tenancy", "0008_agent_versions")]

    operations = [
        migrations.RunSQL(load("apps.facts", "keys"), "DROP FUNCTION fact_keys(bigint, text, text)"),
        migrations.RemoveIndex(model_name="fact", name="facts_fact_words_idx"),
        migrations.AddIndex(
            model_name="fact",
            index=GinIndex(
                models.Func(models.F("project"), models.F("scope"), models.F("scope_id"), function="fact_keys"),
                models.F("words"),
                name="facts_fact_words_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=["project", "scope", "scope_id", "id"],
                condition=models.Q(purposes__isnull=False)
                | models.Q(task_types__isnull=False)
                | models.Q(scope="user", agent__isnull=False),
                name="facts_fact_kept_idx",
            ),
        ),
    ]
