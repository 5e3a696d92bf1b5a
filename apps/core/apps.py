from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from apps.core import clock


class CoreConfig(AppConfig):
    """Registers the app under the label "core"; it has no models."""

    name = "apps.core"
    label = "core"

    def ready(self) -> None:
        connection_created.connect(_hear)


def _hear(connection: Any, **details: object) -> None:
    """What the database's clock shows, before anything is decided on a new connection."""
    asked = clock.steady()
    with connection.wrap_database_errors:
        (moment,) = connection.connection.execute(f"SELECT {clock.LATEST}").fetchone()
    clock.hear(moment, asked=asked)
