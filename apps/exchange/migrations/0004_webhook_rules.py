"""Row-level security, composite keys and the owner's functions of webhooks."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = ["exchange_webhook", "exchange_webhookdelivery"]


class Migration(migrations.Migration):
    dependencies = [("exchange", "0003_webhooks"), ("audit", "0004_denied")]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("exchange_webhookdelivery", "webhook_id", "exchange_webhook", on_delete="CASCADE", index=False),
        migrations.RunSQL(
            load("apps.exchange", "claim_deliveries"),
            "DROP FUNCTION claim_deliveries(int, int, interval, text); DROP FUNCTION webhooks_behind(int);"
            " DROP FUNCTION projects_with_old_deliveries(timestamptz);",
        ),
    ]
