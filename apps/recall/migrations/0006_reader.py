"""The read knows purposes, task types and earlier moments, and says why each fact was told or left out."""

from django.db import migrations, models

from apps.core.sqlfiles import load

FORGET_OLD = """
DROP FUNCTION serve_facts;
DROP FUNCTION told_ranked, candidates_of_many, candidates_of_few, fact_is_readers, few_facts, told_flat, record_read;
DROP FUNCTION fact_permitted, fact_as_told, words_alone;
DROP TYPE recall_reader;
"""


class Migration(migrations.Migration):
    dependencies = [("recall", "0005_hybrid"), ("facts", "0005_audience")]
    operations = [
        # A list of facts is read for no agent in particular.
        migrations.AlterField("readledger", "agent_id", models.UUIDField(null=True)),
        migrations.RunSQL("ALTER TABLE recall_readledger ALTER COLUMN agent_id DROP NOT NULL"),
        migrations.RunSQL(FORGET_OLD),
        *[
            migrations.RunSQL(load("apps.recall", name))
            for name in ("reader", "flat", "nearest", "ranking", "left_out", "told", "serve")
        ],
    ]
