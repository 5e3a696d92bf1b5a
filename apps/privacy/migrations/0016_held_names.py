"""Names that a package holds back lie sealed beside it until somebody decided; session messages and dream runs have rules of
retention."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0015_naming_writes"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="retentionrule",
            name="privacy_retention_store_chk",
        ),
        migrations.AddField(
            model_name="accesspackage",
            name="held",
            field=models.BinaryField(null=True),
        ),
        migrations.AddConstraint(
            model_name="accesspackage",
            constraint=models.CheckConstraint(
                condition=models.Q(("held", None), ("removed_at", None), _connector="OR"),
                name="privacy_package_held_chk",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("store__in", ["facts", "traces", "sessions", "messages", "reads", "answers", "rejected", "dreams"])
                ),
                name="privacy_retention_store_chk",
            ),
        ),
        migrations.RunSQL(
            load("apps.privacy", "expire_whole_packages"),
            load("apps.privacy", "expire_packages").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        ),
    ]
