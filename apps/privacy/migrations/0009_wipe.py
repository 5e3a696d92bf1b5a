"""The wipe of a project is a request of its own kind: one at a time, on the word of two, without a person to identify."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0008_mentions_in_dreams"),
        ("tenancy", "0007_closed"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="privacyrequest",
            name="privacy_request_kind_chk",
        ),
        migrations.RemoveConstraint(
            model_name="privacyrequest",
            name="privacy_request_approved_chk",
        ),
        migrations.RemoveConstraint(
            model_name="privacyrequest",
            name="privacy_request_residue_chk",
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("kind", "wipe"),
                    models.Q(
                        ("state__in", ["cancelled", "completed", "completed_with_exceptions", "duplicate", "rejected"]),
                        _negated=True,
                    ),
                ),
                fields=("project",),
                name="privacy_request_one_wipe_uniq",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["access", "correction", "erasure", "restriction", "portability", "objection", "wipe"])
                ),
                name="privacy_request_kind_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="privacyrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["suppressing", "erasing", "purging", "verifying"]), _negated=True),
                    models.Q(
                        ("approved_digest", models.F("preview_digest")),
                        models.Q(("approved_by", ""), _negated=True),
                        models.Q(("identity_checked_at__isnull", False), ("kind", "wipe"), _connector="OR"),
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
                    models.Q(("kind__in", ["erasure", "objection", "wipe"]), ("state", "completed"), _negated=True),
                    ("residue", 0),
                    _connector="OR",
                ),
                name="privacy_request_residue_chk",
            ),
        ),
    ]
