"""Queue what webhooks are told of what was recorded since they last looked."""

import json
from typing import Any

from django.db import connection

from apps.core.sqlfiles import load
from apps.core.transactions import bind
from apps.exchange.hooks import rows

HOOKS = 100
"""Webhooks read for at once."""
EVENTS = 500
"""Audit events read in one transaction."""
ROUNDS = 20
"""Such transactions of one webhook before others have their turn."""


def take_events() -> int:
    """How many messages were queued, of any project. Each webhook's place in the chain moves with what was queued for it,
    in one statement: two workers queue nothing twice, and one that dies loses nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id FROM webhooks_behind(%s)", [HOOKS])
        behind = cursor.fetchall()
    return sum(_read_on(project_id, webhook_id) for project_id, webhook_id in behind)


def _read_on(project_id: int, webhook_id: int) -> int:
    queued = 0
    for _ in range(ROUNDS):
        with bind(project_id), connection.cursor() as cursor:
            given: dict[str, Any] = {
                "project": project_id,
                "webhook": webhook_id,
                "most": EVENTS,
                "sources": json.dumps(rows()),
            }
            cursor.execute(load(__package__, "take_events"), given)
            queued += cursor.rowcount
            cursor.execute("SELECT cursor < (SELECT seq FROM audit_audithead WHERE project_id = %(project)s)"
                           " FROM exchange_webhook WHERE project_id = %(project)s AND id = %(webhook)s AND enabled", given)  # fmt: skip
            more = cursor.fetchone()
        if not more or not more[0]:
            break
    return queued
