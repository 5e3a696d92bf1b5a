"""Make the ledger's partitions for the months ahead."""

from django.db import connection


def ensure_partitions() -> list[str]:
    """The names of what was made; none on most days. Any number of callers at once make each once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT ensure_partitions()")
        return [row[0] for row in cursor.fetchall()]
