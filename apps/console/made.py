"""Rows that came as JSON, as the ORM would have loaded them."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection, models

Row = TypeVar("Row", bound=models.Model)
UNREAD = ["words", "brief", "loose_hash", "norm_hash"]
"""Columns of facts and proposals that no page shows."""


def made(model: type[Row], values: dict[str, Any]) -> Row:
    """One row; columns that are left out stay unread."""
    # In the order of the model's columns, as `from_db` wants them.
    given = {
        field.attname: _value(field, values[field.attname])
        for field in model._meta.concrete_fields
        if field.attname in values
    }
    return model.from_db(connection.alias, list(given), list(given.values()))


def _value(field: Any, value: Any) -> Any:
    if isinstance(value, str) and isinstance(field, models.DateTimeField):
        return datetime.fromisoformat(value)
    if isinstance(value, str) and isinstance(field.target_field if field.is_relation else field, models.UUIDField):
        return UUID(value)
    return value
