"""Figures are counted while nobody waits for them."""

import time

from celery import shared_task

from apps.insight.actions.count_figures import count_figures
from apps.insight.queries import due

SECONDS = 30


@shared_task(name="insight.count")
def count() -> int:
    """The projects that are due, for half a minute; the others are next."""
    end, counted = time.monotonic() + SECONDS, 0
    for project_id in due(200):
        counted += count_figures(project_id)
        if time.monotonic() >= end:
            break
    return counted
