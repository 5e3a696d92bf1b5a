"""The partitioned ledger, and the read that writes it."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("recall", "0001_initial"), ("facts", "0002_rules")]
    operations = [
        migrations.RunSQL(
            load("apps.recall", "read_ledger"),
            "DROP TABLE recall_readledger; DROP FUNCTION ensure_partitions();"
            "DROP FUNCTION recall_guard_partition(text);",
        ),
        migrations.RunSQL(
            load("apps.recall", "memory_facts"),
            "DROP FUNCTION memory_facts(bigint, bigint, text, text, text, bytea, int, text, uuid[], text[], text[], text);",
        ),
    ]
