"""Delete the vectors of models that answer no questions any more."""

import time
from datetime import timedelta

import structlog
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import bind
from apps.recall.models import EmbeddingModel, FactEmbedding
from apps.recall.serving import ABSENT, chosen_model

log = structlog.get_logger(__name__)

BATCH = 1_000
SETTLED = timedelta(minutes=1)
"""So long after a change a read that began before it is over."""


def drop_vectors(*, name: str | None = None, seconds: float = 10) -> int:
    """Delete, a thousand a transaction, the vectors of models that neither serve nor are to and that no worker has named
    for ten minutes; with ``name`` those of that model, whatever it does. Returns how many; call again until it is 0.

    A model without vectors is forgotten too, or, with ``name``, begun anew: its vectors may then be of another length.
    """
    end, dropped = time.monotonic() + seconds, 0
    for model in [name] if name else _unused():
        for project_id in _projects_of(model):
            while count := _drop(project_id, model):
                dropped += count
                if time.monotonic() >= end:
                    return dropped
        row = EmbeddingModel.objects.filter(name=model)
        if name:
            row.update(dims=None, walk_after=0, walked_at=None, done=0, counted_at=None, fault="", fault_at=None)
        else:
            row.filter(serving=False).delete()
            log.info("embedder_forgotten", model=model)
    return dropped


def _unused() -> list[str]:
    rows, at = list(EmbeddingModel.objects.all()), now()
    serving, chosen = next((row for row in rows if row.serving), None), chosen_model(rows, at)
    # While a change is under way, nothing goes: what served before may be chosen again.
    if serving is None or serving is not chosen or (serving.serving_since or at) > at - SETTLED:
        return []
    return [row.name for row in rows if not row.serving and row.seen_at < at - ABSENT]


def _projects_of(model: str) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT projects_with_vectors(%s)", [model])
        return [project_id for (project_id,) in cursor.fetchall()]


def _drop(project_id: int, model: str) -> int:
    with bind(project_id):
        mine = FactEmbedding.objects.filter(project_id=project_id, model=model)
        return mine.filter(id__in=list(mine.values_list("id", flat=True)[:BATCH])).delete()[0]
