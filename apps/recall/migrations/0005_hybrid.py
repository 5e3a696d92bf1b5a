"""Ranking for a question: weights a project can set, the index of vectors, and the read as functions."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_unique, row_security
from apps.core.sqlfiles import load

FORGET_SERVING = """
DROP FUNCTION facts_of_all, facts_of_agent, fact_permitted, fact_was_in_force, fact_in_force;
"""
FORGET_FLAT = """
DROP FUNCTION told_flat, record_read, words_alone, fact_as_told;
DROP TYPE recall_reader;
"""
FORGET_RANKED = """
DROP FUNCTION told_ranked, candidates_of_many, candidates_of_few, fact_is_readers, few_facts, question_terms,
    recall_weights, halved, quoted;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0004_contested"),
        ("recall", "0004_vectors"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="RecallSettings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("similarity", models.FloatField()),
                ("keyword", models.FloatField()),
                ("named", models.FloatField()),
                ("dated", models.FloatField()),
                ("context", models.FloatField()),
                ("recency", models.FloatField()),
                ("importance", models.FloatField()),
                ("confidence", models.FloatField()),
                ("confirmation", models.FloatField()),
                ("authority", models.FloatField()),
                ("half_life_days", models.FloatField()),
                ("language", models.CharField(max_length=20)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("project", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, to="tenancy.project")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("similarity__gte", 0),
                            ("similarity__lte", 1),
                            ("keyword__gte", 0),
                            ("keyword__lte", 1),
                            ("named__gte", 0),
                            ("named__lte", 1),
                            ("dated__gte", 0),
                            ("dated__lte", 1),
                            ("context__gte", 0),
                            ("context__lte", 1),
                            ("recency__gte", 0),
                            ("recency__lte", 1),
                            ("importance__gte", 0),
                            ("importance__lte", 1),
                            ("confidence__gte", 0),
                            ("confidence__lte", 1),
                            ("confirmation__gte", 0),
                            ("confirmation__lte", 1),
                            ("authority__gte", 0),
                            ("authority__lte", 1),
                        ),
                        name="recall_settings_weights_chk",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("similarity__gt", 0),
                            ("keyword__gt", 0),
                            ("named__gt", 0),
                            ("dated__gt", 0),
                            ("context__gt", 0),
                            ("recency__gt", 0),
                            ("importance__gt", 0),
                            ("confidence__gt", 0),
                            ("confirmation__gt", 0),
                            ("authority__gt", 0),
                            _connector="OR",
                        ),
                        name="recall_settings_any_chk",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "language__in",
                                [
                                    "arabic",
                                    "armenian",
                                    "basque",
                                    "catalan",
                                    "danish",
                                    "dutch",
                                    "english",
                                    "finnish",
                                    "french",
                                    "german",
                                    "greek",
                                    "hindi",
                                    "hungarian",
                                    "indonesian",
                                    "irish",
                                    "italian",
                                    "lithuanian",
                                    "nepali",
                                    "norwegian",
                                    "portuguese",
                                    "romanian",
                                    "russian",
                                    "serbian",
                                    "spanish",
                                    "swedish",
                                    "tamil",
                                    "turkish",
                                    "yiddish",
                                ],
                            )
                        ),
                        name="recall_settings_language_chk",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("half_life_days__gt", 0), ("half_life_days__lte", 36500)),
                        name="recall_settings_half_life_chk",
                    ),
                ],
            },
        ),
        composite_unique("recall_recallsettings"),
        row_security("recall_recallsettings"),
        # Of the default embedder's length; another embedder's is made when its vectors are.
        migrations.RunSQL(
            "CREATE INDEX recall_embedding_384_idx ON recall_factembedding"
            " USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops) WHERE dims = 384",
            "DROP INDEX recall_embedding_384_idx",
        ),
        migrations.RunSQL(
            "DROP FUNCTION memory_facts(bigint, bigint, text, text, text, bytea, int, text, uuid[], text[], text[], text)",
            load("apps.recall", "memory_facts"),
        ),
        migrations.RunSQL(load("apps.recall", "serving"), FORGET_SERVING),
        migrations.RunSQL(load("apps.recall", "told_flat"), FORGET_FLAT),
        migrations.RunSQL(load("apps.recall", "told_ranked"), FORGET_RANKED),
        migrations.RunSQL(load("apps.recall", "serve_facts"), "DROP FUNCTION serve_facts"),
    ]
