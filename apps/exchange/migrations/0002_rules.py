"""Row-level security, composite keys and the owner's functions."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = ["exchange_import", "exchange_importline"]


class Migration(migrations.Migration):
    dependencies = [("exchange", "0001_initial")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("exchange_importline", "upload_id", "exchange_import", on_delete="CASCADE", index=False),
        migrations.RunSQL(
            load("apps.exchange", "claim_imports"),
            "DROP FUNCTION claim_imports(int, interval, text); DROP FUNCTION imports_to_empty(interval, interval);",
        ),
    ]
