"""Requests, identities, holds, receipts, backups and purges."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.core.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0004_trace_tombstones"),
    ]

    operations = [
        migrations.CreateModel(
            name="Purge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("requested_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("failed", models.BooleanField(db_default=False)),
                ("report", models.JSONField(db_default={}, default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Backup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("taken_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("place", models.CharField(max_length=300)),
                ("sha256", models.BinaryField()),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("place",), name="privacy_backup_place_uniq"),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("taken_at"))), name="privacy_backup_times_chk"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PrivacyRequest",
            fields=[
                ("claimed_by", models.CharField(blank=True, max_length=120)),
                ("lease_until", models.DateTimeField(null=True)),
                ("lease_token", models.UUIDField(null=True)),
                ("attempts", models.IntegerField(default=0)),
                ("not_before", models.DateTimeField(null=True)),
                ("dead_reason", models.CharField(blank=True, max_length=60)),
                ("id", models.UUIDField(default=apps.core.ids.uuid7, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("kind", models.CharField(max_length=12)),
                ("state", models.CharField(default="received", max_length=30)),
                ("subject_digest", models.BinaryField()),
                ("wish", models.TextField(blank=True, default="")),
                ("fact_id", models.BigIntegerField(null=True)),
                ("correction", models.TextField(blank=True, default="")),
                ("opened_by", models.CharField(max_length=64)),
                ("received_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("due_at", models.DateTimeField()),
                ("extended_until", models.DateTimeField(null=True)),
                ("extension_reason", models.CharField(blank=True, max_length=300)),
                ("paused_at", models.DateTimeField(null=True)),
                ("identity_method", models.CharField(blank=True, max_length=20)),
                ("identity_checked_by", models.CharField(blank=True, max_length=64)),
                ("identity_checked_at", models.DateTimeField(null=True)),
                ("preview", models.JSONField(db_default={}, default=dict)),
                ("preview_digest", models.BinaryField(null=True)),
                ("previewed_at", models.DateTimeField(null=True)),
                ("exceptions", models.JSONField(db_default={}, default=dict)),
                ("approved_by", models.CharField(blank=True, max_length=64)),
                ("approved_at", models.DateTimeField(null=True)),
                ("approved_digest", models.BinaryField(null=True)),
                ("single_operator", models.BooleanField(db_default=False)),
                ("suppressed_at", models.DateTimeField(null=True)),
                ("progress", models.JSONField(db_default={}, default=dict)),
                ("verification", models.JSONField(db_default={}, default=dict)),
                ("residue", models.IntegerField(null=True)),
                ("stopped_in", models.CharField(blank=True, max_length=30)),
                ("error_code", models.CharField(blank=True, max_length=60)),
                ("rejected_for", models.CharField(blank=True, max_length=20)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "duplicate_of",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="duplicates",
                        to="privacy.privacyrequest",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="tenancy.subject",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("body", models.JSONField()),
                ("digest", models.BinaryField()),
                ("signature", models.BinaryField()),
                ("issued_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
                        related_name="receipts",
                        to="privacy.privacyrequest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RequestIdentity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=10)),
                ("value", models.CharField(max_length=255)),
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
                        related_name="identities",
                        to="privacy.privacyrequest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("object_type", models.CharField(max_length=10)),
                ("object_id", models.CharField(max_length=64)),
                ("ground", models.CharField(max_length=300)),
                ("placed_by", models.CharField(max_length=64)),
                ("placed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("review_on", models.DateField()),
                ("released_by", models.CharField(blank=True, max_length=64)),
                ("released_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="tenancy.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("released_at", None)),
                        fields=("project", "object_type", "object_id"),
                        name="privacy_hold_open_uniq",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("object_type__in", ["fact", "trace", "subject"])),
                        name="privacy_hold_type_chk",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ground__regex", "\\S")), name="privacy_hold_ground_chk"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("released_at", None), ("released_by", "")),
                            models.Q(("released_at__isnull", False), models.Q(("released_by", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="privacy_hold_released_chk",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="privacyrequest",
            index=models.Index(fields=["project", "subject"], name="privacy_request_subject_idx"),
        ),
        migrations.AddIndex(
            model_name="privacyrequest",
            index=models.Index(fields=["project", "state", "due_at"], name="privacy_request_due_idx"),
        ),
        migrations.AddIndex(
            model_name="privacyrequest",
            index=models.Index(fields=["project", "subject_digest"], name="privacy_request_digest_idx"),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.UniqueConstraint(fields=("project", "number"), name="privacy_request_number_uniq"),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["access", "correction", "erasure", "restriction", "portability", "objection"])
                ),
                name="privacy_request_kind_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            "received",
                            "identity_check",
                            "triage",
                            "previewed",
                            "awaiting_approval",
                            "suppressing",
                            "erasing",
                            "purging",
                            "verifying",
                            "needs_attention",
                            "fulfilling",
                            "completed_with_exceptions",
                            "duplicate",
                            "completed",
                            "rejected",
                            "cancelled",
                        ],
                    )
                ),
                name="privacy_request_state_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approved_by", ""),
                    models.Q(("approved_by", models.F("opened_by")), _negated=True),
                    ("single_operator", True),
                    _connector="OR",
                ),
                name="privacy_request_two_people_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(("approved_by", ""), ("approved_by__startswith", "user:"), _connector="OR"),
                name="privacy_request_approver_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["suppressing", "erasing", "purging", "verifying"]), _negated=True),
                    models.Q(
                        ("approved_digest", models.F("preview_digest")),
                        ("identity_checked_at__isnull", False),
                        models.Q(("approved_by", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="privacy_request_approved_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["erasure", "objection"]), ("state", "completed"), _negated=True),
                    ("residue", 0),
                    _connector="OR",
                ),
                name="privacy_request_residue_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("extended_until", None),
                    models.Q(
                        ("extended_until__gt", models.F("due_at")), models.Q(("extension_reason", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="privacy_request_extension_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "rejected"), _negated=True),
                    (
                        "rejected_for__in",
                        ["not_verified", "not_the_person", "unfounded", "excessive", "legal_duty", "nothing_asked"],
                    ),
                    _connector="OR",
                ),
                name="privacy_request_rejected_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "duplicate"), _negated=True), ("duplicate_of__isnull", False), _connector="OR"
                ),
                name="privacy_request_duplicate_chk",
            ),
        ),
        migrations.AddIndex(
            model_name="receipt",
            index=models.Index(fields=["project", "request", "id"], name="privacy_receipt_request_idx"),
        ),
        migrations.AddConstraint(
            model_name="receipt",
            constraint=models.UniqueConstraint(fields=("project", "digest"), name="privacy_receipt_uniq"),
        ),
        migrations.AddConstraint(
            model_name="requestidentity",
            constraint=models.UniqueConstraint(fields=("project", "request", "value"), name="privacy_identity_uniq"),
        ),
        migrations.AddConstraint(
            model_name="requestidentity",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["user_id", "alias", "email", "phone", "name", "other"])),
                name="privacy_identity_kind_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="requestidentity",
            constraint=models.CheckConstraint(
                condition=models.Q(("value__regex", "\\S"), models.Q(("value", "*"), _negated=True)),
                name="privacy_identity_value_chk",
            ),
        ),
    ]
