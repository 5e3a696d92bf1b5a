"""A worker process says that it is there."""

from datetime import timedelta

from django.db.models.functions import Now

from apps.core.clock import now
from apps.core.transactions import unit
from apps.extraction.models import Worker

FORGOTTEN = timedelta(days=1)


def note_worker(name: str) -> None:
    """Upsert by name; those that have not been seen for a day are forgotten."""
    with unit():
        Worker.objects.bulk_create(
            [Worker(name=name[:200], started_at=Now(), seen_at=Now())],
            update_conflicts=True,
            unique_fields=["name"],
            update_fields=["seen_at"],
        )
        Worker.objects.filter(seen_at__lt=now() - FORGOTTEN).delete()
