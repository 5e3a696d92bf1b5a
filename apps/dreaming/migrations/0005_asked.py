"""What a client asked for under an idempotency key, as a keyed digest: the same key for something else is refused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dreaming", "0004_lists"),
    ]

    operations = [
        migrations.AddField(model_name="dreamrun", name="asked", field=models.BinaryField(null=True)),
    ]
