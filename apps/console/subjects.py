"""Reads for the pages about subjects: many counts in few statements, each of them capped."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import CharField, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Concat, Upper

from apps.access.models import ApiKey
from apps.core.sqlfiles import load
from apps.curation.actions.cap_learned import MAX_LEARNED
from apps.curation.queries import learned_about, open_to_the_cap
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Subject, SubjectAlias

CAP = 1_000
"""Nothing is counted further; "1,000+" is said then."""
ALIASES_FOUND = 20
LOOKED_AT = 12
"""Of a subject's learned facts so many are looked at, the oldest, for the one that the cap would let go."""


def capped(number: int) -> str:
    """A count as it is said: "412", "1,000+"."""
    return f"{CAP:,}+" if number > CAP else f"{number:,}"


def of_those(counts: dict[str, int], sensitivities: Iterable[str]) -> int:
    """How many of what is counted by sensitivity a reader may know of."""
    return sum(counts.get(name, 0) for name in sensitivities)


@dataclass(frozen=True)
class Shown:
    """What a row of the list says. ``facts`` and ``pending`` are by sensitivity, each up to 1,001 in all."""

    facts: dict[str, int]
    pending: dict[str, int]
    aliases: list[str]


def subjects_shown(project_id: int, subject_ids: list[int]) -> dict[int, Shown]:
    """By subject, in one statement."""
    if not subject_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            load(__package__, "subjects_shown"), {"project": project_id, "subjects": subject_ids, "cap": CAP + 1}
        )
        return {row[0]: Shown(row[1], row[2], row[3] or []) for row in cursor.fetchall()}


def subjects_called(project_id: int, beginning: str) -> "QuerySet[Subject]":
    """Subjects whose id begins so, in any case; all for an empty one. In no order yet."""
    subjects = Subject.objects.filter(project_id=project_id, suppressed_at=None)
    return _beginning(subjects, beginning)


def also_called(project_id: int, beginning: str) -> list[SubjectAlias]:
    """The first 20 aliases that begin so, with their subjects."""
    aliases = SubjectAlias.objects.filter(project_id=project_id, subject__suppressed_at=None).select_related("subject")
    return list(_beginning(aliases, beginning).order_by("name_key", "id")[:ALIASES_FOUND])


def _beginning(rows: "QuerySet[Any]", beginning: str) -> "QuerySet[Any]":
    if not beginning:
        return rows
    # The database's own capitals: Python's are others ("ß" becomes "SS"). No text comes after the last code point.
    key = Upper(Value(beginning, output_field=TextField()))
    end = Concat(key, Value("\U0010ffff", output_field=TextField()))
    return rows.filter(name_key__gte=key, name_key__lt=end)


@dataclass(frozen=True)
class Head:
    """A subject with the counts of his page, each up to 1,001; ``aliases`` are (id, name). ``learned`` are the facts
    that count towards ``max_learned``, which is null where the project has no cap."""

    id: int
    kind: str
    external_id: str
    created_at: datetime
    last_seen_at: datetime | None
    aliases: list[tuple[int, str]]
    current: dict[str, int]
    past: dict[str, int]
    pending: dict[str, int]
    learned: int
    traces: int
    first_trace_at: datetime | None
    reads: int
    max_learned: int | None

    @property
    def first_seen(self) -> datetime:
        """When he first appears in a conversation; when he became known, if in none."""
        return self.first_trace_at or self.created_at

    @property
    def last_seen(self) -> datetime:
        return self.last_seen_at or self.created_at


def head_of(project_id: int, subject_id: int) -> Head | None:
    """In one statement; None where the project has no such subject."""
    with connection.cursor() as cursor:
        cursor.execute(
            load(__package__, "subject_shown"), {"project": project_id, "subject": subject_id, "cap": CAP + 1}
        )
        row = cursor.fetchone()
        if row is None:
            return None
        values: dict[str, Any] = dict(zip([column.name for column in cursor.description], row, strict=True))
    chosen = values.pop("has_settings")
    values["max_learned"] = values["max_learned"] if chosen else MAX_LEARNED
    values["aliases"] = [(number, name) for number, name in values["aliases"]]
    return Head(**values)


def next_to_drop(project_id: int, subject_id: int) -> Fact | None:
    """The learned fact that the cap would propose to retire next; None where there is none it may touch among the oldest."""
    oldest = learned_about(project_id, subject_id).order_by("id").values("id")[:LOOKED_AT]
    return open_to_the_cap(project_id, subject_id).filter(id__in=oldest).order_by("id").first()


def reads_for(project_id: int, subject_id: int) -> "QuerySet[ReadLedger]":
    """The reads that named a subject, with ``agent_name`` and ``key_name`` (null for one that is gone), in no order
    yet."""
    agents = Agent.objects.filter(project_id=project_id, id=OuterRef("agent_id")).values("name")
    keys = ApiKey.objects.filter(project_id=project_id, id=OuterRef("key_id")).values("name")
    return ReadLedger.objects.filter(project_id=project_id, subject_id=subject_id).annotate(
        agent_name=Subquery(agents, output_field=CharField(null=True)),
        key_name=Subquery(keys, output_field=CharField(null=True)),
    )
