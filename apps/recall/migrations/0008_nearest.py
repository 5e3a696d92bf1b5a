"""The nearest of many facts: right without an index, and where the index comes back short."""

from django.db import migrations

from apps.core.sqlfiles import load

RANKED = load("apps.recall", "ranking")
START, END = RANKED.index("CREATE FUNCTION candidates_of_many"), RANKED.index("-- A question as SQL takes it")
BEFORE = RANKED[START:END].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)


class Migration(migrations.Migration):
    dependencies = [("recall", "0007_embeddingmodel")]

    operations = [
        migrations.RunSQL(
            load("apps.recall", "nearest"),
            "DROP FUNCTION nearest_of_many, nearest_by_scan, has_vector_index",
        ),
        migrations.RunSQL(load("apps.recall", "candidates_of_many"), BEFORE),
    ]
