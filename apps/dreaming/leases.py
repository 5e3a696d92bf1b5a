"""Who may carry a run on: claims with a lease and a fencing token."""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from apps.core.transactions import bind
from apps.dreaming.models import DreamRun
from apps.dreaming.states import OPEN

LEASE_SECONDS = 120


@dataclass(frozen=True)
class Claim:
    """A run that this worker alone may carry on until the lease ends."""

    project_id: int
    run_id: int
    lease_token: UUID


def claim_dreams(*, limit: int = 1, seconds: float = LEASE_SECONDS) -> list[Claim]:
    """Runs to carry on, of any project; any number of workers get different ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, id, lease_token FROM claim_dreams(%s, make_interval(secs => %s), %s)",
            [limit, seconds, worker_name()],
        )
        return [Claim(*row) for row in cursor.fetchall()]


def claim_dream(*, project_id: int, run_id: int, phase: str) -> Claim | None:
    """One named run at one phase, or None: it is elsewhere by now, in other hands, or waits for its time."""
    token = uuid4()
    with bind(project_id):
        claimed = DreamRun.objects.filter(
            Q(lease_until=None) | Q(lease_until__lt=Now()),
            Q(not_before=None) | Q(not_before__lte=Now()),
            project_id=project_id,
            id=run_id,
            phase=phase,
            state__in=sorted(OPEN),
        ).update(claimed_by=worker_name(), lease_until=Now() + timedelta(seconds=LEASE_SECONDS), lease_token=token)
    return Claim(project_id, run_id, token) if claimed else None


def worker_name() -> str:
    """Host and process, for people who look who holds a lease."""
    return f"{socket.gethostname()}:{os.getpid()}"
