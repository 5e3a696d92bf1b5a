"""Carry one import on for a while."""

import time
from collections.abc import Callable

from apps.core.transactions import bind
from apps.exchange.actions.carry_on_import import BATCH, carry_on_import
from apps.exchange.leases import Claim
from apps.exchange.models import Import


def work_import(
    *, claim: Claim, seconds: float = 10, most: int = BATCH, progress: Callable[[Import], object] | None = None
) -> bool:
    """Batch after batch until it has ended, waits for a person, or the time is over; then it is given back. Whether there
    is more to do."""
    until = time.monotonic() + seconds
    while True:
        upload = carry_on_import(claim=claim, most=most)
        if upload is None:
            return False
        if progress is not None:
            progress(upload)
        if not upload.is_working:
            return False
        if time.monotonic() >= until:
            break
    with bind(claim.project_id):
        Import.objects.filter(project_id=claim.project_id, id=claim.import_id, lease_token=claim.lease_token).update(
            lease_until=None, lease_token=None
        )
    return True
