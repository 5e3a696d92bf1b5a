"""Which embedder answers questions. The database says it, by what is covered; the settings say which one is to.

While a new model embeds the facts, the one before goes on answering, as long as this process can ask it.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connections
from django.db.models import BooleanField, F, Func

from apps.core.clock import now
from apps.inference.embeddings import Embedder, embedder, embedder_named
from apps.recall.models import EmbeddingModel

ABSENT = timedelta(minutes=10)
"""A model that no worker has named for so long is no longer chosen."""
COVERED = 0.995
"""The share of the current facts that a new model must have embedded before it answers; some texts no model takes."""


MANY = 5_000
"""Current facts beyond which a reader's are looked up in the index of vectors, not compared one by one."""
LONGEST_INDEXED = 4_000
"""Numbers of a halfvec that HNSW takes."""
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


@dataclass(frozen=True)
class Standing:
    """What is known of the models now: which answers, which is to, and the rows of all. ``troubles`` are sentences about
    what an operator should mend."""

    serving: EmbeddingModel | None
    chosen: EmbeddingModel | None
    rows: list[EmbeddingModel]
    troubles: list[str]

    @property
    def changing(self) -> bool:
        """Whether a new model is embedding the facts while another one answers."""
        return self.serving is not None and self.chosen is not None and self.serving.name != self.chosen.name


def standing(*, using: str = "default", fullest: int | None = None) -> Standing:
    """As Health, doctor and the command show it; sees the facts that the connection sees. One statement where it is told
    how many facts the ``fullest`` place has; else it counts, should that matter."""
    indexed = Func(F("dims"), function="has_vector_index", output_field=BooleanField())
    found = list(EmbeddingModel.objects.using(using).annotate(indexed=indexed).order_by("name"))
    rows, unindexed = list[EmbeddingModel](found), {row.dims for row in found if row.dims and not row.indexed}
    serving, chosen = next((row for row in rows if row.serving), None), chosen_model(rows)
    in_use = list(dict.fromkeys(row for row in (serving, chosen) if row))
    troubles = [f"{row.name}: {row.fault}" for row in in_use if row.fault]
    if serving and embedder() is not None and embedder_named(serving.name) is None:
        troubles.append(
            f"Facts have vectors of {serving.name}, and these settings don't reach it, so that questions are compared only"
            " with what the new model has embedded. MEMORYPLANE_PREVIOUS_EMBED_MODEL names it meanwhile."
        )
    bare = sorted({row.dims for row in in_use if row.dims in unindexed and row.dims})
    if bare and not (_fullest(using) if fullest is None else fullest > MANY):
        bare = []
    troubles += [
        f"Some place has more than {MANY:,} facts, and vectors of {dims:,} numbers have no index: each question compares"
        + (
            f" all of them, right and slower. No index takes more than {LONGEST_INDEXED:,} numbers."
            if dims > LONGEST_INDEXED
            else " all of them, right and slower. `manage.py embeddings --index` makes it."
        )
        for dims in bare
    ]
    return Standing(serving, chosen, rows, troubles)


def _fullest(using: str) -> bool:
    """Whether some place has more than MANY facts; looks at all of them."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM facts_fact WHERE superseded_at IS NULL AND retired_at IS NULL"
            " GROUP BY project_id, agent_id, scope, scope_id HAVING count(*) > %s)",
            [MANY],
        )
        return bool(cursor.fetchone()[0])
