"""Facts that mean nearly what somebody's facts mean and that nothing else leads to: for a person to decide on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.core.sqlfiles import load
from apps.recall.models import FactEmbedding
from apps.recall.serving import LONGEST_INDEXED

NEAR = 0.9
"""The least cosine of two vectors of one model that counts as near; exactly so much does."""
OWN = 200
"""So many of the person's facts that have a vector, the newest, are compared."""
MOST = 50
"""So many facts are listed, those about nobody first, then the nearest."""
COMPARED = 20_000
"""Vectors up to which a project is compared whole. Of more, the index is asked for the NEIGHBOURS nearest of each."""
NEIGHBOURS = 20


@dataclass(frozen=True)
class Near:
    """A fact beside one of the person's, ``alike`` the cosine of their vectors."""

    fact_id: int
    alike: float
    beside: int


def near_facts(project_id: int, own: Iterable[int], *, without: Iterable[int]) -> list[Near]:
    """At most MOST facts near to one of ``own``, none of these and none of ``without``. Facts that have no vector yet, and
    vectors of another model, are not compared. The caller has bound the project."""
    mine = sorted(own)
    if not mine:
        return []
    left_out = sorted({*mine, *without})
    vectors = FactEmbedding.objects.filter(project_id=project_id)
    if len(vectors.order_by().values_list("id", flat=True)[: COMPARED + 1]) > COMPARED:
        return _by_index(project_id, mine, left_out)
    given: dict[str, Any] = {
        "project": project_id,
        "own": mine,
        "without": left_out,
        "few": OWN,
        "least": NEAR,
        "most": MOST,
    }
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "near"), given)
        return [Near(fact_id, round(float(alike), 4), beside) for fact_id, alike, beside in cursor.fetchall()]


def _by_index(project_id: int, mine: list[int], left_out: list[int]) -> list[Near]:
    gone = set(left_out)
    found: dict[int, Near] = {}
    own = FactEmbedding.objects.filter(project_id=project_id, fact_id__in=mine, dims__lte=LONGEST_INDEXED)
    with connection.cursor() as cursor:
        for beside, model, dims, vector in own.order_by("-fact_id").values_list("fact_id", "model", "dims", "vector")[
            :OWN
        ]:
            said = str(list(vector))
            cursor.execute(
                f"SELECT fact_id, 1 - (vector::halfvec({dims:d}) <=> %s::halfvec({dims:d})) FROM recall_factembedding"  # noqa: S608
                f" WHERE project_id = %s AND model = %s AND dims = %s ORDER BY vector::halfvec({dims:d}) <=> %s::halfvec({dims:d})"
                " LIMIT %s",
                [said, project_id, model, dims, said, NEIGHBOURS],
            )
            for fact_id, alike in cursor.fetchall():
                known = found.get(fact_id)
                if fact_id not in gone and alike >= NEAR and (known is None or known.alike < alike):
                    found[fact_id] = Near(fact_id, round(float(alike), 4), beside)
    return sorted(found.values(), key=lambda one: (-one.alike, one.fact_id))[:MOST]
