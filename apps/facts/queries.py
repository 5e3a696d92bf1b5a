"""Reading facts: the list with its filter and counts, and the versions of one fact."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection
from django.db.models import Count, Q

from apps.core.sqlfiles import load
from apps.facts.models import CURRENT, SCOPES, Fact
from apps.facts.querysets import FactQuerySet

FACETS = ("scope", "source", "category", "sensitivity")


@dataclass(frozen=True, kw_only=True)
class FactFilter:
    """One list of facts. Empty values leave a filter out; ``sensitivities`` is what the reader may see. ``further`` is a
    condition on facts that another room knows how to put."""

    query: str = ""
    scope: str = ""
    scope_id: str = ""
    source: str = ""
    category: str = ""
    memory_type: str = ""
    sensitivity: str = ""
    attribute: str = ""
    superseded: bool = False
    sensitivities: tuple[str, ...] = ()
    further: Q | None = None


def filtered(project_id: int, wanted: FactFilter) -> FactQuerySet:
    """The facts a filter means, in no order yet. ``superseded`` adds closed versions; the rest is current."""
    facts = Fact.objects.in_project(project_id).filter(sensitivity__in=wanted.sensitivities).saying(wanted.query)
    if not wanted.superseded:
        facts = facts.current()
    exact: dict[str, Any] = {
        name: getattr(wanted, name)
        for name in ("scope", "scope_id", "source", "category", "memory_type", "sensitivity", "attribute")
        if getattr(wanted, name)
    }
    return facts.filter(wanted.further or Q(), **exact)


def scope_counts(project_id: int, wanted: FactFilter) -> dict[str, int]:
    """How many facts each scope would show under the rest of the filter; every scope is in it."""
    rows = (
        filtered(project_id, replace(wanted, scope="", scope_id="")).values("scope").annotate(n=Count("id")).order_by()
    )
    return dict.fromkeys(SCOPES, 0) | {row["scope"]: row["n"] for row in rows}


@dataclass(frozen=True)
class Counts:
    """Facts under a filter: how many are current, superseded, and retired without a successor."""

    current: int = 0
    superseded: int = 0
    retired: int = 0

    @property
    def closed(self) -> int:
        return self.superseded + self.retired

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.current + other.current, self.superseded + other.superseded, self.retired + other.retired)


@dataclass(frozen=True)
class FacetCounts:
    """``matching`` is the filter's own; each facet has the counts of its values under the rest of the filter."""

    matching: Counts
    facets: dict[str, dict[str, Counts]]


def facet_counts(project_id: int, wanted: FactFilter) -> FacetCounts:
    """All counts of the list in one statement. The facet ``scope`` leaves the scope id out of the filter too."""
    rest = replace(wanted, scope="", scope_id="", source="", category="", sensitivity="", superseded=True)
    rows = filtered(project_id, rest).values(*FACETS).order_by()
    here = Q(scope_id=wanted.scope_id) if wanted.scope_id else Q()

    def counted(name: str, condition: Q) -> dict[str, Count]:
        return {name: Count("id", filter=condition), f"{name}_here": Count("id", filter=condition & here)}

    rows = rows.annotate(
        **counted("current", CURRENT),
        **counted("superseded", Q(superseded_at__isnull=False)),
        **counted("retired", Q(superseded_at=None, retired_at__isnull=False)),
    )
    matching = Counts()
    facets: dict[str, dict[str, Counts]] = {name: {} for name in FACETS}
    for row in rows:
        anywhere = Counts(row["current"], row["superseded"], row["retired"])
        in_scope = Counts(row["current_here"], row["superseded_here"], row["retired_here"])
        misses = [name for name in FACETS if getattr(wanted, name) not in ("", row[name])]
        if not misses:
            matching += in_scope
        for name in FACETS:
            if set(misses) <= {name}:
                counts = anywhere if name == "scope" else in_scope
                facets[name][row[name]] = facets[name].get(row[name], Counts()) + counts
    return FacetCounts(matching, facets)


def totals(project_id: int, sensitivities: tuple[str, ...]) -> dict[str, int]:
    """``current`` and ``closed`` facts of the project that the reader may see."""
    rows = Fact.objects.in_project(project_id).filter(sensitivity__in=sensitivities)
    open_row = Q(superseded_at=None, retired_at=None)
    return rows.aggregate(current=Count("id", filter=open_row), closed=Count("id", filter=~open_row))


def versions(project_id: int, fact_id: int) -> list[Fact]:
    """Every version of a fact, whatever was merged into it included, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "versions"), {"project": project_id, "fact": fact_id})
        ids = [row[0] for row in cursor.fetchall()]
    return list(Fact.objects.in_project(project_id).filter(id__in=ids).order_by("created_at", "id"))


def older_versions(project_id: int, fact_id: int) -> list[int]:
    """Ids of the versions that ``fact_id`` replaced, directly or through others; itself not included."""
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "older_versions"), {"project": project_id, "fact": fact_id})
        return [row[0] for row in cursor.fetchall()]


def newest_versions(project_id: int, fact_ids: Collection[int]) -> list[int]:
    """Ids of what these facts are now: the versions at the end of their chains, closed or not, each once."""
    if not fact_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "newest_versions"), {"project": project_id, "facts": sorted(fact_ids)})
        return [row[0] for row in cursor.fetchall()]
