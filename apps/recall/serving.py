"""Which embedder answers questions. The database says it, by what is covered; the settings say which one is to.

While a new model embeds the facts, the one before goes on answering, as long as this process can ask it.
"""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta

from apps.core.clock import now
from apps.inference.embeddings import Embedder, embedder, embedder_named
from apps.recall.models import EmbeddingModel

ABSENT = timedelta(minutes=10)
"""A model that no worker has named for so long is no longer chosen."""
COVERED = 0.995
"""The share of the current facts that a new model must have embedded before it answers; some texts no model takes."""


KEPT_SECONDS = 5.0
"""So long a process goes by what it last read; the vectors of a model that served are kept for a minute and more."""

_kept: tuple[float, list[EmbeddingModel]] | None = None


def serving_embedder(*, for_question: bool = False) -> tuple[Embedder | None, int | None]:
    """The embedder of questions, and the length of its stored vectors where that is known.

    It is the configured one while none serves yet, or where this process's settings don't reach the serving one; null
    where they choose none.
    """
    configured = embedder()
    if configured is None:
        return None, None
    rows = _models()
    serving = next((row for row in rows if row.serving), None)
    chosen = embedder_named(serving.name, for_question=for_question) if serving else None
    chosen = chosen or embedder_named(configured.name, for_question=for_question) or configured
    return chosen, next((row.dims for row in rows if row.name == chosen.name), None)


def forget_kept() -> None:
    """Have the next question read which model serves."""
    global _kept
    _kept = None


def _models() -> list[EmbeddingModel]:
    global _kept
    kept, at = _kept, time.monotonic()
    if kept is None or at - kept[0] > KEPT_SECONDS:
        kept = _kept = (at, list(EmbeddingModel.objects.all()))
    return kept[1]


def chosen_model(rows: Iterable[EmbeddingModel], at: datetime | None = None) -> EmbeddingModel | None:
    """The model that is to serve: the one chosen last among those that workers still name."""
    since = (at or now()) - ABSENT
    seen = [row for row in rows if row.seen_at >= since]
    return max(seen, key=lambda row: (row.chosen_at, row.name), default=None)


def covers(row: EmbeddingModel) -> bool:
    """Whether a walk over all facts has ended since the model was chosen, and left nearly none without a vector."""
    walked = row.walked_at is not None and row.walked_at >= row.chosen_at
    return walked and row.done >= COVERED * row.of
