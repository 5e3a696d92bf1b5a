"""The facts of a place nearest to a text, at a price that does not grow with the place."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.core.sqlfiles import load
from apps.core.text import storable
from apps.facts.models import Fact
from apps.recall.meaning import nearest_of_project
from apps.recall.question import meaning_of
from apps.recall.serving import serving_embedder

MOST = 2_000
"""A place of fewer facts is compared whole: an index of vectors would lose the few of one subject among all. Of a larger
one the newest so many are."""
COMPARED = 80
"""Of a larger one, so many of those that share its rare words."""
MEANT = 100
"""So many of a place, the newest, are compared in meaning for a person who reads one proposal."""
LEAST_MEANT = 0.4
"""What is less alike is about something else."""


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
    large = bool(found) and not found[0].whole  # type: ignore[attr-defined]
    if large and dims and vector is not None and (nearest := nearest_of_project(project_id, name, vector)):
        found = _rows(given | {"nearest": nearest})
    return [Near(fact, fact.meaning, fact.alike) for fact in found]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Meant:
    """Facts with their likeness in meaning, the cosine of their vectors, nearest first. ``newest``: so many of the place
    were compared, 0 for all of it; ``degraded`` says in a code why none was."""

    facts: list[tuple[Fact, float]]
    newest: int = 0
    degraded: str = ""


def near_in_meaning(
    project_id: int, *, scope: str, scope_id: str, text: str, seen: tuple[str, ...], without: list[int], limit: int
) -> Meant:
    """The active facts of one scope id at least LEAST_MEANT near to ``text`` in meaning, among its newest MEANT, of those
    that somebody who may see these sensitivities may see. May ask the embedder, and waits no longer for it than a question
    does. Facts that have no vector yet are not found. The caller has bound the project."""
    vector, model, degraded = meaning_of(project_id, text)
    if vector is None:
        return Meant([], degraded=degraded)
    given: dict[str, Any] = {
        "project": project_id,
        "scope": scope,
        "scope_id": scope_id,
        "vector": str(vector),
        "model": model,
        "dims": len(vector),
        "most": MEANT,
        "least": LEAST_MEANT,
        "seen": list(seen),
        "without": without,
        "limit": limit,
    }
    found = list(Fact.objects.raw(load("apps.curation", "near_in_meaning"), given))
    whole = all(fact.whole for fact in found)  # type: ignore[attr-defined]
    return Meant([(fact, fact.meaning) for fact in found], 0 if whole else MEANT)  # type: ignore[attr-defined]


def _rows(given: dict[str, Any]) -> list[Fact]:
    return list(Fact.objects.raw(load("apps.curation", "nearest"), given))
