"""The index of vectors is asked only where that costs less than comparing what the reader may be told."""

from django.db import migrations

from apps.core.sqlfiles import load

NEAREST = load("apps.recall", "nearest")
BEFORE = NEAREST[NEAREST.index("CREATE FUNCTION nearest_of_many") :].replace("CREATE", "CREATE OR REPLACE", 1)


class Migration(migrations.Migration):
    dependencies = [("recall", "0011_planned_once")]

    operations = [migrations.RunSQL(load("apps.recall", "nearest_within_reach"), BEFORE)]
