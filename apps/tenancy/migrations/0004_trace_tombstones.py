"""Tombstones of conversations."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0003_sought"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="tombstone",
            name="tenancy_tombstone_kind_chk",
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["subject", "fact", "trace"])), name="tenancy_tombstone_kind_chk"
            ),
        ),
    ]
