"""Counts that do not grow with a project: people read "1,000+" where an exact number would cost a scan."""

from typing import Any

from django.db.models import QuerySet

MOST = 1_000
"""What is counted exactly; more is shown as "1,000+"."""


def capped_count(rows: "QuerySet[Any, Any]") -> int:
    """How many rows there are, and MOST + 1 for any number beyond."""
    return rows.order_by()[: MOST + 1].count()
