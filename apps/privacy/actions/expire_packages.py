"""Empty the packages that nobody fetched in time."""

from django.db import connection

from apps.core.transactions import unit
from apps.privacy.links import KEPT_FOR


def expire_packages() -> int:
    """Of all projects; returns how many. A week after they were made they are gone, link or no link."""
    with unit(), connection.cursor() as cursor:
        cursor.execute("SELECT expire_packages(make_interval(secs => %s))", [KEPT_FOR.total_seconds()])
        return int(cursor.fetchone()[0])
