"""The page of a wipe finds the few requests that it is about."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("privacy", "0017_overdue")]

    operations = [
        migrations.AddIndex(
            model_name="privacyrequest",
            index=models.Index(fields=["project", "number"], condition=Q(kind="wipe"), name="privacy_request_wipe_idx"),
        ),
        migrations.AddIndex(
            model_name="privacyrequest",
            index=models.Index(
                fields=["project", "id"], condition=~Q(wish="") | ~Q(correction=""), name="privacy_request_words_idx"
            ),
        ),
    ]
