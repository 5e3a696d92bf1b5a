"""Which messages a worker may post: claims with a lease and a fencing token."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from apps.exchange.leases import worker_name

AT_ONCE, OF_ONE = 16, 4
"""Messages that a worker posts side by side, and how many may be on their way to one webhook."""
LEASE_SECONDS = 60
"""All are posted side by side, and none takes longer than ten seconds."""


@dataclass(frozen=True)
class Claim:
    """A message that this worker alone may post until the lease ends."""

    project_id: int
    delivery_id: UUID
    lease_token: UUID


def claim_deliveries(*, limit: int = AT_ONCE, each: int = OF_ONE, seconds: float = LEASE_SECONDS) -> list[Claim]:
    """Messages that are due, of any project; any number of workers get different ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, id, lease_token FROM claim_deliveries(%s, %s, make_interval(secs => %s), %s)",
            [limit, each, seconds, worker_name()],
        )
        return [Claim(*row) for row in cursor.fetchall()]
