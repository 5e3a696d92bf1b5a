"""Which requests a worker carries on, and for how long he alone may."""

import os
import socket
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

LEASE_SECONDS = 120


@dataclass
class Claimed:
    """A request that this worker alone may carry on until the lease ends. ``shingles`` live in its memory only."""

    project_id: int
    request_id: UUID
    lease_token: UUID
    shingles: list[str] = field(default_factory=list)


class LeaseLost(Exception):
    """Another worker has it by now; nothing more is written."""


def claim_requests(*, limit: int = 1) -> list[Claimed]:
    """Requests to carry on, of any project; any number of workers get different ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, id, lease_token FROM claim_requests(%s, make_interval(secs => %s), %s)",
            [limit, LEASE_SECONDS, f"{socket.gethostname()}:{os.getpid()}"],
        )
        return [Claimed(*row) for row in cursor.fetchall()]
