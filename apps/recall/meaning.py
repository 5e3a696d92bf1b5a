"""The facts of a filter nearest in meaning to a text: for people who look for something and don't know its words."""

from dataclasses import dataclass, replace

from django.db import connection

from apps.facts.models import Fact
from apps.facts.queries import FactFilter, filtered
from apps.recall.question import Question

BEST = 200
"""So many are found: what is further away is near to nothing."""
COMPARED, LOOKED_AT = 5_000, 1_000
"""A filter of so few facts is compared whole; of more, so many nearest of the project are looked at, by the index of
vectors. Where there is none, so many of its newest are compared."""


@dataclass(frozen=True)
class Meant:
    """The facts, nearest first. ``degraded`` says in a code why meaning could not be asked: ``no_embedder``, or what
    kept the embedder from answering; there are none then. With ``not_indexed`` only the newest were compared."""

    facts: list[Fact]
    degraded: str = ""


def facts_meaning(project_id: int, wanted: FactFilter, question: Question) -> Meant:
    """At most BEST facts of ``wanted`` near in meaning to a question. Facts that have no vector yet are not found. The
    caller has bound the project."""
    if question.vector is None:
        return Meant([], question.degraded or "no_embedder")
    facts = filtered(project_id, replace(wanted, query=""))
    few = list(facts.order_by("-id").values_list("id", flat=True)[: COMPARED + 1])
    nearest = None if len(few) <= COMPARED else nearest_of_project(project_id, question.model, question.vector)
    degraded = "not_indexed" if nearest is None and len(few) > COMPARED else ""
    if nearest is None:
        nearest = _nearest_among(project_id, question.model, question.vector, few[:COMPARED])
    found = facts.in_bulk(nearest)
    # Who is being erased is named by nothing any more.
    told = [found[fact_id] for fact_id in nearest if fact_id in found and found[fact_id].restricted_reason != "erasure"]
    return Meant(told[:BEST], degraded)


def nearest_of_project(project_id: int, model: str, vector: list[float]) -> list[int] | None:
    """Ids of the LOOKED_AT facts of a project nearest to a vector, by the index of vectors of this length; None where there
    is none: nobody compares all vectors for a page. The project is bound."""
    dims = len(vector)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_vector_index(%s), set_config('hnsw.ef_search', %s, true),"
            " set_config('hnsw.iterative_scan', 'relaxed_order', true)",
            [dims, str(LOOKED_AT)],
        )
        if not cursor.fetchone()[0]:
            return None
        # The index gives them nearly in their order.
        cursor.execute(
            f"SELECT fact_id FROM (SELECT fact_id, vector::halfvec({dims}) <=> %(vector)s::halfvec({dims}) AS far"  # noqa: S608 (dims is a number)
            " FROM recall_factembedding WHERE project_id = %(project)s AND model = %(model)s AND dims = %(dims)s"
            f" ORDER BY vector::halfvec({dims}) <=> %(vector)s::halfvec({dims}) LIMIT %(most)s) n ORDER BY far, fact_id DESC",
            {"project": project_id, "model": model, "dims": dims, "vector": str(vector), "most": LOOKED_AT},
        )
        return [fact_id for (fact_id,) in cursor.fetchall()]


def _nearest_among(project_id: int, model: str, vector: list[float], among: list[int]) -> list[int]:
    """The BEST of these ids, by distance."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT fact_id FROM recall_factembedding WHERE project_id = %s AND model = %s AND dims = %s"
            " AND fact_id = ANY (%s) ORDER BY vector <=> %s::halfvec, fact_id DESC LIMIT %s",
            [project_id, model, len(vector), among, str(vector), BEST],
        )
        return [fact_id for (fact_id,) in cursor.fetchall()]
