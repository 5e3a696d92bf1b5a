"""The walk over all facts that gives them the vectors they lack: after a change of embedder, and as a net."""

import time
from datetime import datetime, timedelta

from django.db.models import F, Q

from apps.core.clock import now
from apps.core.errors import Unavailable
from apps.inference.errors import EmbeddingMismatch
from apps.recall.actions.choose_model import choose_model
from apps.recall.embedding import LEASE, left, note_fault, walk
from apps.recall.models import EmbeddingModel

AGAIN = timedelta(minutes=10)


def walk_facts(*, seconds: float = 15, since: datetime | None = None) -> int:
    """Go on with the walk of each model in use from where it has come, for so long; returns how many rows were written.

    One walker a model at a time, by a lease: facts get their vectors beside other work, not instead of it. A walk that
    has ended begins anew after ten minutes, or when its model is chosen again, or when it ended before ``since``. Raises EmbeddingMismatch as
    `embed_facts` does.
    """
    end, written = time.monotonic() + seconds, 0
    mismatch: EmbeddingMismatch | None = None
    for model in choose_model():
        row = EmbeddingModel.objects.filter(name=model.name)
        at = now()
        due = (
            Q(walked_at=None)
            | Q(walk_after__gt=0)
            | Q(walked_at__lt=since or at - AGAIN)
            | Q(walked_at__lt=F("chosen_at"))
        )
        free = Q(walk_until=None) | Q(walk_until__lt=at)
        if not row.filter(due, free).update(walk_until=at + LEASE):
            continue
        try:
            written += walk(model, row.values_list("walk_after", flat=True).get(), end)
        except Unavailable as error:
            note_fault(model.name, error)
            left(error.code, model=model.name)
        except EmbeddingMismatch as error:
            note_fault(model.name, error)
            mismatch = error
        finally:
            row.update(walk_until=None)
    if mismatch:
        raise mismatch
    return written
