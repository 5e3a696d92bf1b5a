"""The facts of a place nearest to a text, at a price that does not grow with the place."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.sqlfiles import load
from apps.core.text import storable
from apps.facts.models import Fact
from apps.recall.meaning import nearest_of_project
from apps.recall.serving import serving_embedder

MOST = 2_000
"""A place of fewer facts is compared whole: an index of vectors would lose the few of one subject among all. Of a larger
one the newest so many are."""
COMPARED = 80
"""Of a larger one, so many of those that share its rare words."""


@dataclass(frozen=True)
class Near:
    """A fact beside a text. ``similarity`` is the cosine of their vectors, -1..1, None where one has none; ``words``
    is the share of three-letter pieces they have in common, 0..1."""

    fact: Fact
    similarity: float | None
    words: float


def nearest_facts(
    project_id: int,
    *,
    scope: str,
    scope_id: str,
    agent_id: UUID | None = None,
    text: str,
    vector: list[float] | None,
    limit: int,
    most: int = MOST,
) -> list[Near]:
    """The active facts of one scope id nearest to ``text``, by the better of meaning and words, nearest first.

    ``agent_id`` leaves out facts told through other agents only. ``vector`` is the text's, of length 1, by the
    embedder in use; without it, or where a fact has none, words alone count. Every fact of a place of fewer than ``most``
    is looked at, of a larger one the newest ``most``, those of its rare words and those nearest in meaning, where there is
    an index of vectors. The caller has bound the project.
    """
    if not scope_id:
        return []
    model = serving_embedder()[0] if vector is not None else None
    name, dims = (model.name, len(vector)) if model is not None and vector is not None else ("", 0)
    given: dict[str, Any] = {
        "project": project_id,
        "scope": scope,
        "scope_id": scope_id,
        "agent": agent_id,
        "text": storable(text)[0],
        "vector": str(vector) if dims else None,
        "model": name,
        "dims": dims,
        "most": most,
        "compared": COMPARED,
        "limit": limit,
        "nearest": [],
    }
    found = _rows(given)
    if dims and vector is not None and found and not found[0].whole and _has_index(dims):  # type: ignore[attr-defined]
        found = _rows(given | {"nearest": nearest_of_project(project_id, name, vector)})
    return [Near(fact, fact.meaning, fact.alike) for fact in found]  # type: ignore[attr-defined]


def _rows(given: dict[str, Any]) -> list[Fact]:
    return list(Fact.objects.raw(load("apps.curation", "nearest"), given))


def _has_index(dims: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_vector_index(%s)", [dims])
        return bool(cursor.fetchone()[0])
