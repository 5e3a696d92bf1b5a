"""Refused acts of one kind are walked by themselves: they lie far apart among all that was refused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_denied")]

    operations = [
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                fields=["project_id", "verb", "seq"],
                condition=models.Q(result="denied"),
                name="audit_event_denied_verb_idx",
            ),
        ),
    ]
