"""Make the index of vectors of one length, beside reads and writes."""

from django.db import connections

from apps.core.errors import Conflict
from apps.recall.serving import LONGEST_INDEXED


def index_vectors(*, dims: int) -> bool:
    """Have a finished index of vectors of ``dims`` numbers; False where there was one. Takes minutes for a million, and
    holds nobody up meanwhile; one that was broken off is begun anew.

    Only the owner may, outside a transaction. Raises Conflict `too_long_for_an_index` beyond 4,000 numbers.
    """
    if dims > LONGEST_INDEXED:
        raise Conflict(
            "too_long_for_an_index",
            f"Vectors of {dims:,} numbers can't have an index, which takes {LONGEST_INDEXED:,}: facts are compared one by"
            " one, right and slower.",
        )
    name = f"recall_embedding_{dims:d}_idx"
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT has_vector_index(%s)", [dims])
        if owner.fetchone() == (True,):
            return False
        owner.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        owner.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON recall_factembedding"
            f" USING hnsw ((vector::halfvec({dims:d})) halfvec_cosine_ops) WHERE dims = {dims:d}"
        )
    return True
