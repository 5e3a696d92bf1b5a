"""A read without a question is answered from the hot indexes alone, and no further than it is told."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("recall", "0009_servings"), ("facts", "0006_brief")]
    operations = [migrations.RunSQL(load("apps.recall", "told_brief"))]
