"""Duplicates, looked for beside other work."""

from celery import shared_task

from apps.curation.actions.compare_facts import compare_facts


@shared_task(name="curation.compare")
def compare() -> int:
    """The facts appended in the last while, or a piece of a long queue."""
    return compare_facts()
