"""When a subject was seen last, and finding one by the beginning of an id."""

import django.db.models.functions.comparison
import django.db.models.functions.text
from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0002_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="subject",
            name="last_seen_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="subject",
            name="name_key",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.functions.text.Upper("external_id"),
                output_field=models.TextField(db_collation="C"),
            ),
        ),
        migrations.AddField(
            model_name="subjectalias",
            name="name_key",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.functions.text.Upper("external_id"),
                output_field=models.TextField(db_collation="C"),
            ),
        ),
        migrations.AddField(
            model_name="subject",
            name="seen_at",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.functions.comparison.Coalesce("last_seen_at", "created_at"),
                output_field=models.DateTimeField(),
            ),
        ),
        migrations.AddIndex(
            model_name="subject",
            index=models.Index(fields=["project", "-seen_at", "-id"], name="tenancy_subject_seen_idx"),
        ),
        migrations.AddIndex(
            model_name="subject",
            index=models.Index(fields=["project", "name_key", "id"], name="tenancy_subject_name_idx"),
        ),
        migrations.AddIndex(
            model_name="subjectalias",
            index=models.Index(fields=["project", "name_key", "id"], name="tenancy_alias_name_idx"),
        ),
        migrations.RunSQL(
            load("apps.tenancy", "one_name"),
            "DROP TRIGGER one_name ON tenancy_subject; DROP TRIGGER one_name ON tenancy_subjectalias;"
            "DROP FUNCTION tenancy_one_name()",
        ),
    ]
