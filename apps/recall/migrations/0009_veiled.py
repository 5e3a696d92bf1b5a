"""A key's explanation says of facts that it is not to be told no more than that they are there."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("recall", "0008_servings")]
    operations = [migrations.RunSQL(load("apps.recall", "left_out_veiled"))]
