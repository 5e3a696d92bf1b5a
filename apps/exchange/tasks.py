"""Imports and webhooks as tasks, and the sweeps that are their net. A message is a wake-up: the row says what there is to do."""

import time

from celery import shared_task

from apps.exchange.actions.deliver_hooks import deliver_hooks
from apps.exchange.actions.empty_hooks import empty_hooks as empty_log
from apps.exchange.actions.empty_imports import empty_imports
from apps.exchange.actions.take_events import take_events
from apps.exchange.actions.work_import import work_import
from apps.exchange.leases import claim_import, claim_imports


@shared_task(name="exchange.carry_on")
def carry_on(project_id: int, import_id: int) -> bool:
    """Some batches of one import, if nobody is at it; then it is woken again, behind what else there is to do."""
    claim = claim_import(project_id=project_id, import_id=import_id)
    if claim is None or not work_import(claim=claim):
        return False
    carry_on.delay(project_id, import_id)
    return True


@shared_task(name="exchange.sweep")
def sweep() -> int:
    """Begin what a person asked for, and carry on what nobody is at."""
    claims = claim_imports()
    for claim in claims:
        if work_import(claim=claim):
            carry_on.delay(claim.project_id, claim.import_id)
    return len(claims)


@shared_task(name="exchange.empty")
def empty() -> int:
    """Delete lines that have no further use."""
    return empty_imports()


SENDING = 20
"""Seconds after which the sweep leaves the rest to the next one."""


@shared_task(name="exchange.send_hooks", time_limit=300)
def send_hooks() -> int:
    """Queue what webhooks are told, and post what is due until nothing is or the time is over."""
    take_events()
    until, sent = time.monotonic() + SENDING, 0
    while (claimed := deliver_hooks()) and time.monotonic() < until:
        sent += claimed
    return sent + claimed


@shared_task(name="exchange.empty_hooks")
def empty_hooks() -> int:
    """Delete old rows of the log of what was sent."""
    return empty_log()
