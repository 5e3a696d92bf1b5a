"""The ledger's upkeep."""

from celery import shared_task

from apps.recall.actions.ensure_partitions import ensure_partitions as ensure


@shared_task(name="recall.ensure_partitions")
def ensure_partitions() -> None:
    ensure()
