"""The facts of a filter nearest in meaning to a text: for people who look for something and don't know its words."""

from dataclasses import dataclass, replace

from django.db import connection
from django.db.models import F

from apps.facts.models import Fact
from apps.facts.queries import FactFilter, filtered
from apps.recall.question import Question

BEST = 200
"""So many are found: what is further away is near to nothing."""
COMPARED, LOOKED_AT = 5_000, 1_000
"""A filter of so few facts is compared whole; of more, so many nearest of the project are looked at."""


@dataclass(frozen=True)
class Meant:
    """The facts, nearest first. ``degraded`` says in a code why meaning could not be asked: ``no_embedder``, or what
    kept the embedder from answering; there are none then."""

    facts: list[Fact]
    degraded: str = ""


def facts_meaning(project_id: int, wanted: FactFilter, question: Question) -> Meant:
    """At most BEST facts of ``wanted`` near in meaning to a question. Facts that have no vector yet are not found. The
    caller has bound the project."""
    if question.vector is None:
        return Meant([], question.degraded or "no_embedder")
    facts = filtered(project_id, replace(wanted, query="")).annotate(
        successor_sensitivity=F("superseded_by__sensitivity")
    )
    few = list(facts.order_by().values_list("id", flat=True)[: COMPARED + 1])
    nearest = _nearest(project_id, question.model, question.vector, few if len(few) <= COMPARED else None)
    found = facts.in_bulk(nearest)
    # Who is being erased is named by nothing any more.
    told = [found[fact_id] for fact_id in nearest if fact_id in found and found[fact_id].restricted_reason != "erasure"]
    return Meant(told[:BEST])


def nearest_of_project(project_id: int, model: str, vector: list[float]) -> list[int]:
    """Ids of the LOOKED_AT facts of a project nearest to a vector, by its index; the caller knows that there is one. The
    project is bound."""
    return _nearest(project_id, model, vector, None)


def _nearest(project_id: int, model: str, vector: list[float], among: list[int] | None) -> list[int]:
    """Ids by distance: of ``among``, or by the index of vectors where there is one."""
    dims = len(vector)
    with connection.cursor() as cursor:
        if among is not None:
            cursor.execute(
                "SELECT fact_id FROM recall_factembedding WHERE project_id = %s AND model = %s AND dims = %s"
                " AND fact_id = ANY (%s) ORDER BY vector <=> %s::halfvec, fact_id DESC LIMIT %s",
                [project_id, model, dims, among, str(vector), BEST],
            )
        else:
            cursor.execute(
                "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)",
                [str(LOOKED_AT)],
            )
            cursor.execute(
                "SELECT fact_id FROM recall_factembedding WHERE project_id = %s AND model = %s AND dims = %s"  # noqa: S608 (dims is a number)
                f" ORDER BY vector::halfvec({dims}) <=> %s::halfvec({dims}) LIMIT %s",
                [project_id, model, dims, str(vector), LOOKED_AT],
            )
        return [fact_id for (fact_id,) in cursor.fetchall()]
