"""How many facts each choice of the console's facets leads to, within bounds: it looks at the newest facts alone, in an
index, so that it costs the same in every project."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import connection

from apps.core.clock import now
from apps.core.counting import MOST
from apps.core.sqlfiles import load
from apps.facts.queries import FactFilter, OneOf

LOOKED_AT = 20_000
"""Of a project's facts, and of those of one scope id, the newest so many are counted."""
CHOICES = 20
"""Of a facet so many values are listed, the commonest."""
SEVERAL = ("source", "category", "memory_type", "sensitivity")


@dataclass(frozen=True)
class Count:
    """``n`` facts, or at least so many when ``more``."""

    n: int = 0
    more: bool = False

    def __str__(self) -> str:
        return f"{min(self.n, MOST):,}{'+' if self.more or self.n > MOST else ''}"

    def __bool__(self) -> bool:
        return self.n > 0 or self.more


@dataclass(frozen=True)
class FacetCounts:
    """``matching`` is the filter's own; each facet has the counts of its commonest values under the rest of the filter.
    ``status`` counts closed versions too, whatever the switch says. ``places`` are scopes and scope ids, commonest first.
    ``whole`` says that every fact was looked at."""

    matching: Count
    facets: Mapping[str, Mapping[str, Count]]
    places: list[tuple[str, str, Count]]
    whole: bool


def facet_counts(project_id: int, wanted: FactFilter, *, ids: list[int] | None = None, find: str = "") -> FacetCounts:
    """Counts of a filter without words and without what another room puts, in one statement or, for one scope id, two; with
    ``ids`` among these facts alone. The facets of scope and scope id leave the scope id out of the filter; ``find`` is a part
    of the scope ids that are listed."""
    if ids is not None or not (wanted.scope and wanted.scope_id):
        return _counted(project_id, wanted, find, ids=ids)
    inside = _counted(project_id, wanted, find, inside=True)
    around = _counted(project_id, wanted, find)
    chosen = (wanted.scope, wanted.scope_id)
    return replace(
        inside,
        facets=dict(inside.facets) | {"scope": around.facets["scope"]},
        places=[(*chosen, inside.matching), *(place for place in around.places if place[:2] != chosen)],
    )


def _counted(
    project_id: int, wanted: FactFilter, find: str, *, inside: bool = False, ids: list[int] | None = None
) -> FacetCounts:
    at = now()
    with connection.cursor() as cursor:
        cursor.execute(
            load("apps.facts", "facet_counts"),
            {
                "project": project_id,
                "most": LOOKED_AT,
                "ids": ids,
                "choices": CHOICES,
                "find": find,
                "inside": inside,
                "now": at,
                "soon": at + timedelta(days=wanted.expiring) if wanted.expiring else None,
                "visible": list(wanted.sensitivities),
                "scope": wanted.scope or None,
                "scope_id": wanted.scope_id or None,
                "status": wanted.status or None,
                "closed": wanted.closed_too,
                "least": wanted.confidence[0],
                "greatest": wanted.confidence[1],
                **{name: _several(getattr(wanted, name)) for name in SEVERAL},
            },
        )
        rows = cursor.fetchall()
    # The row of no facet counts all that was looked at; less than was asked for is all there is.
    matching, whole = next((n, looked < LOOKED_AT) for facet, _, _, n, looked in rows if not facet)
    facets: dict[str, dict[str, Count]] = {name: {} for name in ("scope", "status", *SEVERAL)}
    places = []
    for facet, value, scope, n, _ in rows:
        if facet == "scope_id":
            places.append((scope, value, Count(n, not whole)))
        elif facet:
            facets[facet][value] = Count(n, not whole)
    places.sort(key=lambda place: (-place[2].n, place))
    return FacetCounts(Count(matching, not whole), facets, places, whole)


def _several(value: OneOf) -> list[str] | None:
    return ([value] if isinstance(value, str) else list(value)) if value else None
