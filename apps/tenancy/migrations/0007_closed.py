"""A project that was wiped is closed, and what was observed before is not learned again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0006_many_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="closed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RemoveConstraint(
            model_name="tombstone",
            name="tenancy_tombstone_kind_chk",
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["subject", "fact", "trace", "project"])),
                name="tenancy_tombstone_kind_chk",
            ),
        ),
    ]
