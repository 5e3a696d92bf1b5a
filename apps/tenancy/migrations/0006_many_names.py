"""However many subjects one transaction makes, it takes few locks."""

from django.db import migrations

from apps.core.sqlfiles import load

BEFORE = load("apps.tenancy", "one_name").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0005_logged")]
    operations = [
        migrations.RunSQL(load("apps.tenancy", "one_name_many"), BEFORE.partition("CREATE TRIGGER")[0]),
    ]
