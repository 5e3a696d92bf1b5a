"""The read without a question comes from narrow rows of its own, in one function with its ledger row."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("recall", "0010_agent_days"), ("facts", "0010_hot")]
    operations = [
        migrations.RunSQL("DROP FUNCTION told_flat"),
        *[migrations.RunSQL(load("apps.recall", name)) for name in ("hot", "ranked_lean", "serve_hot")],
    ]
