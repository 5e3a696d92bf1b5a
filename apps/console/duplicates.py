"""Reads of the page of duplicates, which join rooms that know nothing of each other."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from apps.core.counting import MOST
from apps.core.sqlfiles import load
from apps.curation.models import DuplicateGroup, DuplicateMember
from apps.facts.models import Fact

OF_FACT = (
    "id", "content", "scope", "scope_id", "agent_id", "subject_id", "sensitivity", "confidence", "trust", "speaker",
    "source", "source_trace_id", "observed_at", "created_at", "approved_by", "approved_at", "corroborations", "pinned",
    "restricted_at", "restricted_reason", "contested_at", "expires_at", "valid_from", "valid_to",
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """A fact of a group, and how often it was told: ``reads`` is null where it never was, ``more`` where that is not all."""

    fact: Fact
    alike: float
    agent: str
    reads: int | None
    more: bool
    last_at: datetime | None


def groups_of(project_id: int, *, kind: str, facts: Collection[int]) -> "QuerySet[DuplicateGroup]":
    """Groups, in no order yet; how much alike they are, `likeness_of` bounds. ``kind`` "text" are those of the same words,
    which are all alike; ``facts`` narrows them to those that have one of these."""
    groups = DuplicateGroup.objects.filter(project_id=project_id)
    if kind == "text":
        groups = groups.filter(alike=1)
    if facts:
        having = DuplicateMember.objects.filter(project_id=project_id, fact_id__in=facts)
        groups = groups.filter(id__in=having.values("group_id"))
    return groups


def likeness_of(kind: str, least: float) -> tuple[float | None, float | None]:
    """From and below which likeness groups of a kind are, "text", "meaning" or empty."""
    return {"text": (None, None), "meaning": (least, 1.0)}.get(kind, (least, None))


def members_of(project_id: int, group_ids: Iterable[int]) -> dict[int, list[Member]]:
    """The facts of each group, newest first, at most twenty. One statement."""
    found: dict[int, list[Member]] = {group_id: [] for group_id in group_ids}
    if not found:
        return found
    asked: dict[str, Any] = {"project": project_id, "groups": list(found)}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "duplicate_members"), asked)
        names = [column.name for column in cursor.description or ()]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            fact = Fact(project_id=project_id, **{name: row[name] for name in OF_FACT})
            found[row["group_id"]].append(
                Member(fact, row["alike"], row["agent_name"] or "", row["reads"], row["more"], row["last_at"])
            )
    return found


def group_counts(project_id: int, least: float) -> tuple[int, int]:
    """How many groups say the same in the same words, and in others; MOST + 1 for any number beyond."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM (SELECT FROM curation_duplicategroup WHERE project_id = %(project)s AND alike = 1"
            " LIMIT %(most)s) t), (SELECT count(*) FROM (SELECT FROM curation_duplicategroup WHERE project_id = %(project)s"
            " AND alike >= %(least)s AND alike < 1 LIMIT %(most)s) t)",
            {"project": project_id, "least": least, "most": MOST + 1},
        )
        text, meaning = cursor.fetchone()
    return text, meaning
