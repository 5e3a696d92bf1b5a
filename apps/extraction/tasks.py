"""The sweep that finds settled traces."""

from celery import shared_task
from django.conf import settings

from apps.extraction.actions.roll_up_days import roll_up_days as count_days
from apps.extraction.adapters.llm import patience_of
from apps.extraction.pool import CLAIM_SECONDS, mine

# What was claimed last may wait for a model as long as it is given, twice where a window follows.
LONGEST = int(CLAIM_SECONDS + 2 * patience_of(settings.LLM_TIMEOUT) + 60)


@shared_task(name="extraction.sweep", time_limit=LONGEST)
def sweep() -> int:
    """Claim and mine until nothing is left or the time is over; a lost or doubled message changes nothing."""
    return mine().claimed


@shared_task(name="extraction.roll_up_days")
def roll_up_days() -> int:
    """What happened in each project, day by day."""
    return count_days()
