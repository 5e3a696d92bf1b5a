"""Accounts of staff that stay on a ground though they bear the name of somebody who is erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("privacy", "0011_purge_window"),
    ]

    operations = [
        migrations.AddField(
            model_name="privacyrequest",
            name="accounts",
            field=models.JSONField(db_default={}, default=dict),
        ),
    ]
