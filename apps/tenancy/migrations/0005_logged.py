"""Which tombstones are in the log outside the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0004_trace_tombstones"),
    ]

    operations = [
        migrations.AddField(
            model_name="tombstone",
            name="logged_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(
                condition=models.Q(("logged_at", None)), fields=["id"], name="tenancy_tombstone_unlogged_idx"
            ),
        ),
    ]
