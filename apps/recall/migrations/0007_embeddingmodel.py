"""Which embedder answers questions, and how far each one's vectors reach."""

import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sqlfiles import load

# The model with the most vectors has answered until now.
ADOPT = """
INSERT INTO recall_embeddingmodel (name, dims, serving, serving_since)
SELECT model, min(dims), row_number() OVER (ORDER BY count(*) DESC, model) = 1,
       CASE WHEN row_number() OVER (ORDER BY count(*) DESC, model) = 1 THEN now() END
FROM recall_factembedding GROUP BY model
"""


class Migration(migrations.Migration):
    dependencies = [("recall", "0006_reader")]

    operations = [
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("name", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("dims", models.SmallIntegerField(null=True)),
                ("serving", models.BooleanField(db_default=False)),
                ("serving_since", models.DateTimeField(null=True)),
                ("chosen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("walk_after", models.BigIntegerField(db_default=0)),
                ("walk_until", models.DateTimeField(null=True)),
                ("walked_at", models.DateTimeField(null=True)),
                ("done", models.BigIntegerField(db_default=0)),
                ("of", models.BigIntegerField(db_default=0)),
                ("counted_at", models.DateTimeField(null=True)),
                ("per_minute", models.FloatField(null=True)),
                ("fault", models.CharField(db_default="", max_length=300)),
                ("fault_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("serving", True)), fields=("serving",), name="recall_model_serving_uniq"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            "DROP FUNCTION facts_to_embed(text, int, bigint)",
            load("apps.recall", "facts_to_embed"),
        ),
        migrations.RunSQL(
            load("apps.recall", "coverage"),
            "DROP FUNCTION projects_with_vectors(text), embedding_coverage(text),"
            " facts_to_embed(text, int, bigint, bigint)",
        ),
        migrations.RunSQL(ADOPT, migrations.RunSQL.noop),
    ]
