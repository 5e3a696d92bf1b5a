"""The hot read and what the ledger says."""

import hashlib
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.access.models import ApiKey
from apps.core.text import normalise, storable
from apps.recall.models import ReadLedger

MAX_QUERY = 8000

READ = "SELECT memory_facts(%s, %s, %s, %s, %s, %s, %s, %s, %s::uuid[], %s::text[], %s::text[], %s)"  # one statement


def told_facts(
    *,
    key: ApiKey,
    agent: str,
    user: str | None,
    query: str | None,
    limit: int,
    category: str | None,
    purpose: str = "",
) -> bytes | None:
    """The JSON an agent gets, ``{"facts": […]}``, or None when the key's project has no such agent for this key.

    One statement, which also writes the ledger row: what can't be recorded is not told. ``query`` is cut at 8,000
    characters; without one, or with one of stop words alone, importance orders. Database errors pass through.
    """
    text = storable(query or "")[0][:MAX_QUERY]
    with connection.cursor() as cursor:
        cursor.execute(
            READ,
            [
                key.project_id,
                key.id,
                storable(agent)[0],
                storable(user)[0].strip() if user is not None else None,
                text or None,
                query_digest(key.project_id, text) if text else None,
                limit,
                storable(category)[0] if category else None,
                key.agents,
                key.categories,
                key.allowed_sensitivities,
                purpose,
            ],
        )
        (answer,) = cursor.fetchone()
    return None if answer is None else answer.encode()


def query_digest(project_id: int, query: str) -> bytes:
    """16 bytes that tell equal questions of one project apart from others; the text itself is not kept."""
    return hashlib.blake2b(f"{project_id}:{normalise(query)}".encode(), digest_size=16).digest()


def reads_between(project_id: int, agent_id: UUID, start: datetime, end: datetime) -> list[ReadLedger]:
    """The reads for an agent in a stretch of time, oldest first, at most 50. A read names no trace: it is joined to
    one by agent and time alone."""
    return list(
        ReadLedger.objects.filter(project_id=project_id, agent_id=agent_id, at__gte=start, at__lte=end).order_by("at")[
            :50
        ]
    )


def times_told(project_id: int, fact_id: int, since: datetime) -> int:
    """How many reads since ``since`` included the fact."""
    return ReadLedger.objects.filter(project_id=project_id, at__gte=since, fact_ids__contains=[fact_id]).count()
