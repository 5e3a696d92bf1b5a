"""Claim settled traces, across projects."""

import os
import socket
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection

from apps.core.failpoints import reached

LEASE_SECONDS = 120


@dataclass(frozen=True)
class Claim:
    """A trace that this worker alone may work on until the lease ends. ``arrival`` is its newest span's arrival at
    that moment: if more arrived by the commit, the trace goes round again."""

    project_id: int
    trace_pk: int
    lease_token: UUID
    arrival: datetime


def claim_traces(*, limit: int = 10) -> list[Claim]:
    """Up to ``limit`` traces that are settled and not extracted; any number of workers get different ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, id, lease_token, arrival FROM claim_work('extract', %s, make_interval(secs => %s), %s,"
            " make_interval(secs => %s), make_interval(secs => %s))",
            [
                limit,
                LEASE_SECONDS,
                worker_name(),
                settings.SETTLE_SECONDS,
                settings.QUIET_SECONDS,
            ],
        )
        claims = [Claim(*row) for row in cursor.fetchall()]
    reached("extract.claimed")
    return claims


def worker_name() -> str:
    """Host and process, for people who look who holds a lease."""
    return f"{socket.gethostname()}:{os.getpid()}"
