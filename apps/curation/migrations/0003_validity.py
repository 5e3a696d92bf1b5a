"""How long what a proposal says holds, when that was said."""

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("curation", "0002_rules")]
    operations = [
        migrations.AddField("proposal", "valid_from", models.DateTimeField(null=True)),
        migrations.AddField("proposal", "valid_to", models.DateTimeField(null=True)),
        migrations.AddConstraint(
            "proposal",
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True) | Q(valid_to__isnull=True) | Q(valid_to__gt=F("valid_from")),
                name="curation_proposal_validity_chk",
            ),
        ),
    ]
