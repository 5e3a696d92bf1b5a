"""Facts that may be one, what waits to be compared, and who opened a conflict."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = [
    "curation_uncompared",
    "curation_duplicategroup",
    "curation_duplicatemember",
    "curation_notduplicates",
]


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0007_about"),
        ("facts", "0005_audience"),
        ("recall", "0008_servings"),
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="DuplicateGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("alike", models.FloatField()),
                ("found_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="DuplicateMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("alike", models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name="NotDuplicates",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("said_by", models.CharField(max_length=64)),
                ("said_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="Uncompared",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ],
        ),
        migrations.AddField(
            model_name="conflict",
            name="note",
            field=models.CharField(blank=True, default="", max_length=500),
        ),
        migrations.AddField(
            model_name="conflict",
            name="opened_by",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                condition=models.Q(("settled_at__isnull", True)),
                fields=["project", "-id"],
                name="curation_conflict_open_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                condition=models.Q(("settled_at__isnull", False)),
                fields=["project", "-id"],
                name="curation_conflict_done_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(fields=["project", "attribute", "-id"], name="curation_conflict_attr_idx"),
        ),
        migrations.AddField(
            model_name="duplicategroup",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddField(
            model_name="duplicatemember",
            name="fact",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="facts.fact",
            ),
        ),
        migrations.AddField(
            model_name="duplicatemember",
            name="group",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="members",
                to="curation.duplicategroup",
            ),
        ),
        migrations.AddField(
            model_name="duplicatemember",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddField(
            model_name="notduplicates",
            name="first",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="facts.fact",
            ),
        ),
        migrations.AddField(
            model_name="notduplicates",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddField(
            model_name="notduplicates",
            name="second",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="facts.fact",
            ),
        ),
        migrations.AddField(
            model_name="uncompared",
            name="fact",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="facts.fact",
            ),
        ),
        migrations.AddField(
            model_name="uncompared",
            name="project",
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"),
        ),
        migrations.AddIndex(
            model_name="duplicategroup",
            index=models.Index(fields=["project", "-alike", "-id"], name="curation_group_alike_idx"),
        ),
        migrations.AddConstraint(
            model_name="duplicategroup",
            constraint=models.CheckConstraint(
                condition=models.Q(("alike__gte", 0), ("alike__lte", 1)), name="curation_group_alike_chk"
            ),
        ),
        migrations.AddConstraint(
            model_name="duplicatemember",
            constraint=models.UniqueConstraint(fields=("project", "fact"), name="curation_member_uniq"),
        ),
        migrations.AddConstraint(
            model_name="duplicatemember",
            constraint=models.CheckConstraint(
                condition=models.Q(("alike__gte", 0), ("alike__lte", 1)), name="curation_member_alike_chk"
            ),
        ),
        migrations.AddConstraint(
            model_name="notduplicates",
            constraint=models.UniqueConstraint(
                fields=("project", "first", "second"), name="curation_notduplicates_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="notduplicates",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__lt", models.F("second"))), name="curation_notduplicates_order_chk"
            ),
        ),
        migrations.AddConstraint(
            model_name="uncompared",
            constraint=models.UniqueConstraint(fields=("project", "fact"), name="curation_uncompared_uniq"),
        ),
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        # The unique constraints begin with their columns.
        composite_fk("curation_uncompared", "fact_id", "facts_fact", on_delete="CASCADE", index=False),
        composite_fk("curation_duplicatemember", "fact_id", "facts_fact", on_delete="CASCADE", index=False),
        composite_fk("curation_duplicatemember", "group_id", "curation_duplicategroup", on_delete="CASCADE"),
        composite_fk("curation_notduplicates", "first_id", "facts_fact", on_delete="CASCADE", index=False),
        composite_fk("curation_notduplicates", "second_id", "facts_fact", on_delete="CASCADE"),
        migrations.RunSQL(
            load("apps.curation", "uncompared"),
            "DROP FUNCTION facts_to_compare(int);"
            "DROP FUNCTION curation_break_group(), curation_leave_group(), curation_compare_vectors(),"
            " curation_compare_facts() CASCADE;",
        ),
    ]
