"""The ledger's upkeep, and the vectors of facts."""

from celery import shared_task

from apps.inference.errors import EmbeddingMismatch
from apps.recall.actions.drop_vectors import drop_vectors
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.actions.ensure_partitions import ensure_partitions as ensure
from apps.recall.actions.walk_facts import walk_facts


@shared_task(name="recall.ensure_partitions")
def ensure_partitions() -> None:
    ensure()


@shared_task(name="recall.embed", throws=(EmbeddingMismatch,))
def embed() -> int:
    """The facts of the last while."""
    return embed_facts()


@shared_task(name="recall.embed_all", throws=(EmbeddingMismatch,))
def embed_all() -> int:
    """A piece of the walk over all of them: after a change of model, a long absence of its server or a large import."""
    return walk_facts()


@shared_task(name="recall.drop_vectors")
def drop() -> int:
    """Those that no question is compared with any more."""
    return drop_vectors()
