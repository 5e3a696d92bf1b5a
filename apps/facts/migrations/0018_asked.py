"""What a client asked for under an idempotency key, as a keyed digest: the same key for something else is refused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("facts", "0017_words_by_place"),
    ]

    operations = [
        migrations.AddField(model_name="writtenonce", name="asked", field=models.BinaryField(null=True)),
    ]
