"""Who may carry an import on: claims with a lease and a fencing token."""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from apps.core.transactions import bind
from apps.exchange.models import Import
from apps.exchange.states import WORKING

LEASE_SECONDS = 120


class LeaseLost(Exception):
    """Somebody else carries it on, or a person ended it: what was begun is rolled back."""


@dataclass(frozen=True)
class Claim:
    """An import that this worker alone may carry on until the lease ends."""

    project_id: int
    import_id: int
    lease_token: UUID


def claim_imports(*, limit: int = 1) -> list[Claim]:
    """Imports to carry on, of any project; any number of workers get different ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, id, lease_token FROM claim_imports(%s, make_interval(secs => %s), %s)",
            [limit, LEASE_SECONDS, worker_name()],
        )
        return [Claim(*row) for row in cursor.fetchall()]


def claim_import(*, project_id: int, import_id: int) -> Claim | None:
    """This one, or None: it waits for a person, has ended, or is in other hands."""
    token = uuid4()
    with bind(project_id):
        claimed = Import.objects.filter(
            Q(lease_until=None) | Q(lease_until__lt=Now()), project_id=project_id, id=import_id, state__in=WORKING
        ).update(claimed_by=worker_name(), lease_until=Now() + timedelta(seconds=LEASE_SECONDS), lease_token=token)
    return Claim(project_id, import_id, token) if claimed else None


def worker_name() -> str:
    """Host and process, for people who look who holds a lease."""
    return f"{socket.gethostname()}:{os.getpid()}"
