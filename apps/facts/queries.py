"""Reading facts: what a filter means, and the versions of one fact."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Q

from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.facts.models import Fact
from apps.facts.querysets import FactQuerySet

STATUSES = ["active", "held", "expired", "superseded", "retired"]
"""A fact has one of them. ``expired`` is any that is outside its time, also before it; ``active`` none of the others."""
EXACT = ["scope", "scope_id", "source", "category", "memory_type", "sensitivity", "attribute"]

OneOf = str | tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FactFilter:
    """One list of facts. Empty values leave a filter out, of several values one has to hold; ``sensitivities`` is what the
    reader may see. ``confidence`` is its least and its greatest value, ``expiring`` a number of days. ``further`` is a
    condition on facts that another room knows how to put; ``further_within`` the same for facts of a range of numbers, from
    the least to the greatest, which it may find cheaper."""

    query: str = ""
    scope: str = ""
    scope_id: str = ""
    source: OneOf = ""
    category: OneOf = ""
    memory_type: OneOf = ""
    sensitivity: OneOf = ""
    attribute: str = ""
    status: str = ""
    confidence: tuple[float | None, float | None] = (None, None)
    expiring: int = 0
    superseded: bool = False
    sensitivities: tuple[str, ...] = ()
    further: Q | None = None
    further_within: Callable[[int, int], Q] | None = None

    @property
    def closed_too(self) -> bool:
        """Whether closed versions are asked for, by the switch or by their status."""
        return self.superseded or self.status in {"superseded", "retired"}


def filtered(project_id: int, wanted: FactFilter) -> FactQuerySet:
    """The facts a filter means, in no order yet. ``superseded`` adds closed versions; the rest is current."""
    return Fact.objects.in_project(project_id).saying(wanted.query).filter(asked(wanted), wanted.further or Q())


def asked(wanted: FactFilter) -> Q:
    """What a filter asks of a fact besides its words and what another room puts."""
    given: dict[str, Any] = {}
    if set(wanted.sensitivities) != set(SENSITIVITIES):
        given["sensitivity__in"] = wanted.sensitivities
    if not wanted.closed_too:
        given |= {"superseded_at": None, "retired_at": None}
    least, most = wanted.confidence
    if least is not None:
        given["confidence__gte"] = least
    if most is not None:
        given["confidence__lte"] = most
    if wanted.expiring:
        at = now()
        given |= {"expires_at__gt": at, "expires_at__lte": at + timedelta(days=wanted.expiring)}
    condition = Q(**given) & (of_status(wanted.status) if wanted.status else Q())
    for name in EXACT:
        if value := getattr(wanted, name):
            one_of = [value] if isinstance(value, str) else value
            condition &= Q(**{f"{name}__in": one_of}) if len(one_of) > 1 else Q(**{name: one_of[0]})
    return condition


def of_status(status: str) -> Q:
    """Facts that are ``status``, one of STATUSES."""
    at = now()
    over = Q(expires_at__lte=at) | Q(valid_to__lte=at) | Q(valid_from__gt=at)
    current = Q(superseded_at=None, retired_at=None)
    return {
        "active": current & Q(restricted_at=None) & ~over,
        "held": current & Q(restricted_at__isnull=False),
        "expired": current & Q(restricted_at=None) & over,
        "superseded": Q(superseded_at__isnull=False),
        "retired": Q(superseded_at=None, retired_at__isnull=False),
    }[status]


def matching_ids(project_id: int, wanted: FactFilter, limit: int | None) -> list[int]:
    """Ids of the facts of a filter, newest first, at most ``limit``, or all."""
    return list(filtered(project_id, wanted).order_by("-id").values_list("id", flat=True)[:limit])


def versions(project_id: int, fact_id: int) -> list[Fact]:
    """Every version of a fact, whatever was merged into it included, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "versions"), {"project": project_id, "fact": fact_id})
        ids = [row[0] for row in cursor.fetchall()]
    return list(Fact.objects.in_project(project_id).filter(id__in=ids).order_by("created_at", "id"))


def older_versions(project_id: int, *fact_ids: int) -> list[int]:
    """Ids of the versions that these facts replaced, directly or through others; themselves not included."""
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "older_versions"), {"project": project_id, "facts": list(fact_ids)})
        return [row[0] for row in cursor.fetchall()]


def newest_versions(project_id: int, fact_ids: Collection[int]) -> list[int]:
    """Ids of what these facts are now: the versions at the end of their chains, closed or not, each once."""
    if not fact_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(load("apps.facts", "newest_versions"), {"project": project_id, "facts": sorted(fact_ids)})
        return [row[0] for row in cursor.fetchall()]
