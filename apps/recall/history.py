"""Earlier moments: which facts held then, what became of them since, and what was told."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Case, DateTimeField, Q, Value, When
from django.db.models.functions import Now

from apps.core.sqlfiles import load
from apps.facts.facets import Count
from apps.facts.querysets import FactQuerySet, OfRow
from apps.recall.models import ReadLedger

LOOKED_AT = 500
"""Of the facts of then and of those since, a page looks at so many, the newest."""
REPLACED = 1_000
"""Of what was superseded since, the last so many are followed to what it is now."""
TAKEN = ("held", "added", "replaced", "ended")
ASIDE = 100
"""Facts come in the order of their numbers, but for transactions side by side: no more than so many of them."""


@dataclass(frozen=True)
class Since:
    """A moment beside now, as conditions on facts. ``held`` is what held then; of that ``replaced`` was superseded and
    ``ended`` is told no longer for another reason. ``added`` is told now, was not then, and is no newer version of what
    was. ``until`` is the highest number of the facts of then, 0 for none."""

    held: Q
    added: Q
    replaced: Q
    ended: Q
    until: int

    def among(self, facts: FactQuerySet, name: str) -> FactQuerySet:
        """Of these facts those that may be what is asked for."""
        return facts if name == "added" else facts.filter(id__lte=self.until)

    def look(self, along: FactQuerySet, here: Q) -> "Look":
        """The newest LOOKED_AT facts of ``along``, of then and of now: how many of them that are ``here`` each condition
        takes. One statement."""
        of_then, of_now = (
            self.among(along, name)
            .annotate(
                which=Value(name),
                **{f"is_{other}": _as_value(here & getattr(self, other)) for other in TAKEN},
            )
            .order_by("-id")
            .values_list("which", "id", *(f"is_{other}" for other in TAKEN))[:LOOKED_AT]
            for name in ("held", "added")
        )
        rows = list(of_then.union(of_now, all=True))
        counts, ends = {}, {}
        for place, name in enumerate(TAKEN, 2):
            mine = [row for row in rows if row[0] == ("added" if name == "added" else "held")]
            counts[name] = Count(sum(row[place] for row in mine), more=len(mine) >= LOOKED_AT)
            ends[name] = min((row[1] for row in mine), default=0) if counts[name].more else 0
        return Look(counts, ends)


@dataclass(frozen=True)
class Look:
    """By condition: how many it takes, and the number of the last fact that was looked at, 0 for all."""

    counts: dict[str, Count]
    ends: dict[str, int]


def _as_value(condition: Q) -> Case:
    return Case(When(condition, then=True), default=False, output_field=BooleanField())


def since(project_id: int, at: datetime) -> Since:
    """What became of a project's facts from a moment on. What held then, SQL says: by what is known of it now. One
    statement."""
    held = Q(OfRow("fact_was_in_force", Value(at, DateTimeField())))
    told = Q(OfRow("fact_in_force", Now()))
    with connection.cursor() as cursor:
        given: dict[str, Any] = {"project": project_id, "at": at, "most": REPLACED, "aside": ASIDE}
        cursor.execute(load(__package__, "since"), given)
        until, newer = cursor.fetchone()
    return Since(
        held=held,
        added=told & ~held & ~Q(id__in=newer),
        replaced=held & ~Q(superseded_at=None),
        ended=held & ~told & Q(superseded_at=None),
        until=until,
    )


def reads_until(
    project_id: int, at: datetime, *, agent_id: UUID | None = None, subject_id: int | None = None, limit: int
) -> list[ReadLedger]:
    """The last reads at or before a moment, newest first, of an agent or for a subject, or both; one must be given."""
    if agent_id is None and subject_id is None:
        raise ValueError("Reads are looked up by an agent or a subject.")
    reads = ReadLedger.objects.filter(project_id=project_id, at__lte=at)
    if agent_id is not None:
        reads = reads.filter(agent_id=agent_id)
    if subject_id is not None:
        reads = reads.filter(subject_id=subject_id)
    return list(reads.order_by("-at", "-id")[:limit])
