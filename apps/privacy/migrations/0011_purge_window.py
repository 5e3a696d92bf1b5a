"""A purge may be finished but for the rewrite of table files, which has its hours."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0010_retention_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="purge",
            name="rewrite_due",
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name="purge",
            name="rewritten_at",
            field=models.DateTimeField(null=True),
        ),
    ]
