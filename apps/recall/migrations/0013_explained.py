"""What a read is explained by comes from indexes, and each row is looked at once; words are found by their index."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("recall", "0012_days"), ("facts", "0017_words_by_place")]
    operations = [
        migrations.RunSQL(load("apps.recall", name)) for name in ("many_words", "explained_lean", "left_out_lean")
    ]
