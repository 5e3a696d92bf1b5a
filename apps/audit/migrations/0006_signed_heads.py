from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("audit", "0005_denied_of_a_kind")]

    operations = [
        migrations.AddField(
            model_name="audithead", name="signed_seq", field=models.BigIntegerField(db_default=0, default=0)
        ),
        migrations.RunSQL(load("apps.audit", "audit_heads"), "DROP FUNCTION audit_heads()"),
        migrations.RunSQL(load("apps.audit", "note_signed_head"), "DROP FUNCTION note_signed_head(bigint, bigint)"),
    ]
