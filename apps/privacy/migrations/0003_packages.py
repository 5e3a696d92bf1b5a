"""Packages of what is remembered of somebody, and the function that finds one by its link."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0002_rules"),
        ("tenancy", "0004_trace_tombstones"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccessPackage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content", models.BinaryField(null=True)),
                ("sha256", models.BinaryField()),
                ("size", models.IntegerField()),
                ("made_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("removed_at", models.DateTimeField(null=True)),
                ("token_hash", models.BinaryField(null=True)),
                ("link_until", models.DateTimeField(null=True)),
                ("opened_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="packages",
                        to="privacy.privacyrequest",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "request", "id"], name="privacy_package_request_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("token_hash",), name="privacy_package_token_uniq"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("content", None), ("removed_at__isnull", False)),
                            models.Q(("content__isnull", False), ("removed_at", None)),
                            _connector="OR",
                        ),
                        name="privacy_package_removed_chk",
                    ),
                ],
            },
        ),
        composite_unique("privacy_accesspackage"),
        row_security("privacy_accesspackage"),
        composite_fk("privacy_accesspackage", "request_id", "privacy_privacyrequest", on_delete="CASCADE", index=False),
        migrations.RunSQL(load("apps.privacy", "package_of"), "DROP FUNCTION package_of(bytea);"),
    ]
