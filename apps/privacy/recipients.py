"""Who was told, and may have kept a copy: from the counts of the read ledger."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from apps.core.sqlfiles import load


def told_to(project_id: int, facts: Iterable[int]) -> list[dict[str, Any]]:
    """A line a key and agent, with bare ids: how many of the facts, how often, first and last time. No agent: a list
    was read. The caller has bound the project."""
    given = sorted(facts)
    if not given:
        return []
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "told_to"), {"project": project_id, "facts": given})
        return [
            {
                "key": key,
                "agent": str(agent) if agent else None,
                "facts": int(count),
                "times": int(times),
                "first": first.isoformat(timespec="seconds"),
                "last": last.isoformat(timespec="seconds"),
            }
            for key, agent, count, times, first, last in cursor.fetchall()
        ]
