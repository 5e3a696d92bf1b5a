"""Append an event to a project's chain, as the last thing the transaction does."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from django.db import connection

from apps.audit.chain import GENESIS, event_hash
from apps.core.clock import now
from apps.core.request_id import current_request_id, traceable
from apps.core.transactions import bound_project, on_before_commit


class Acting(Protocol):
    """Whoever acts; the access room's `Actor` is one."""

    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...


def record(
    *,
    actor: Acting,
    verb: str,
    object_type: str,
    object_id: object,
    reason: str = "",
    result: str = "done",
    data: Mapping[str, Any] | None = None,
) -> None:
    """Collect one event for the chain of the bound project, or of the installation while none is bound.

    It is appended just before the outermost unit commits: taken earlier, the chain head's lock is held while the
    work goes on, and two workers that take it in different places deadlock. ``data`` holds ids, codes, counts and
    digests, never memory text. Raises RuntimeError outside a unit.
    """
    event = {
        "project_id": bound_project(),
        "at": now(),
        "actor_kind": actor.kind,
        "actor_id": actor.id,
        "verb": verb,
        "object_type": object_type,
        "object_id": str(object_id),
        "reason": reason,
        "request_id": traceable(current_request_id()),
        "result": result,
        "data": dict(data or {}),
    }
    on_before_commit(lambda: _append(event))


def _append(event: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        head = "SELECT seq, hash FROM audit_audithead WHERE project_id IS NOT DISTINCT FROM %s FOR UPDATE"
        cursor.execute(head, [event["project_id"]])
        row = cursor.fetchone()
        if row is None:
            cursor.execute(
                "INSERT INTO audit_audithead (project_id, seq, hash) VALUES (%s, 0, %s) ON CONFLICT DO NOTHING",
                [event["project_id"], GENESIS],
            )
            cursor.execute(head, [event["project_id"]])
            row = cursor.fetchone()
        seq, previous = row[0] + 1, bytes(row[1])
        digest = event_hash({**event, "seq": seq}, previous)
        cursor.execute(
            """
            WITH moved AS (
                UPDATE audit_audithead SET seq = %(seq)s, hash = %(hash)s, updated_at = now()
                WHERE project_id IS NOT DISTINCT FROM %(project_id)s
            )
            INSERT INTO audit_auditevent (project_id, seq, at, actor_kind, actor_id, verb, object_type, object_id,
                                          reason, request_id, result, data, prev_hash, hash)
            VALUES (%(project_id)s, %(seq)s, %(at)s, %(actor_kind)s, %(actor_id)s, %(verb)s, %(object_type)s,
                    %(object_id)s, %(reason)s, %(request_id)s, %(result)s, %(data)s::jsonb, %(prev)s, %(hash)s)
            """,
            {**event, "data": json.dumps(event["data"]), "seq": seq, "prev": previous, "hash": digest},
        )
