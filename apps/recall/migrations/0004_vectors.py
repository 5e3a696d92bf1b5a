"""What still lacks a vector, and the lengths of those there are."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("facts", "0002_rules"), ("recall", "0003_trust")]
    operations = [
        migrations.AddIndex(
            model_name="factembedding",
            index=models.Index(fields=["project", "model", "dims"], name="recall_embedding_model_idx"),
        ),
        migrations.RunSQL(load("apps.recall", "facts_to_embed"), "DROP FUNCTION facts_to_embed(text, int, bigint);"),
    ]
