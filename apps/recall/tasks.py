"""The ledger's upkeep, what it counts, and the vectors of facts."""

from celery import shared_task

from apps.inference.errors import EmbeddingMismatch
from apps.recall.actions.drop_vectors import drop_vectors
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.actions.ensure_partitions import ensure_partitions as ensure
from apps.recall.actions.roll_up_reads import roll_up_reads as count
from apps.recall.actions.walk_facts import walk_facts


@shared_task(name="recall.ensure_partitions")
def ensure_partitions() -> None:
    ensure()


@shared_task(name="recall.roll_up_reads")
def roll_up_reads() -> int:
    """How often each fact was told, as far as the ledger says so by now."""
    return count()


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
