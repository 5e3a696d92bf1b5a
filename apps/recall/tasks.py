"""The ledger's upkeep, and the vectors of facts."""

from celery import shared_task

from apps.inference.errors import EmbeddingMismatch
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.actions.ensure_partitions import ensure_partitions as ensure


@shared_task(name="recall.ensure_partitions")
def ensure_partitions() -> None:
    ensure()


@shared_task(name="recall.embed", throws=(EmbeddingMismatch,))
def embed() -> int:
    """The facts of the last while."""
    return embed_facts()


@shared_task(name="recall.embed_all", throws=(EmbeddingMismatch,))
def embed_all() -> int:
    """All of them: after a change of model, a long absence of its server or a large import."""
    return embed_facts(newest=None, seconds=240)
