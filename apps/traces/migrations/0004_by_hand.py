"""Which traces wait because somebody asked for them to be mined."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("traces", "0003_trust")]
    operations = [migrations.AddField("trace", "by_hand", models.BooleanField(db_default=False))]
