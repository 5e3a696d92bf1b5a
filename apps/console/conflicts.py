"""Reads of the conflict pages, which join rooms that know nothing of each other."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from apps.core.counting import MOST, capped_count
from apps.core.sqlfiles import load
from apps.curation.models import OPEN_STATES, Conflict, ConflictSide, Proposal
from apps.curation.standing import Side
from apps.facts.models import Fact
from apps.facts.queries import older_versions
from apps.tenancy.models import Agent, Subject

FACT = (
    "content", "scope", "scope_id", "agent_id", "attribute", "category", "memory_type", "sensitivity", "confidence",
    "importance", "trust", "speaker", "source_trace_id", "observed_at", "created_at", "valid_from", "valid_to",
)  # fmt: skip


@dataclass(frozen=True)
class SideRow:
    """One side as the pages show it. ``reads`` is null where no agent was told it, ``more`` where that is not all of
    them; ``quotes`` are rows of its evidence with what stands around the words; ``by`` and ``at`` name who approved or
    decided it, and when."""

    side: Side
    stands: bool
    reads: int | None
    more: bool
    last_at: datetime | None
    quotes: list[dict[str, Any]]
    by: str
    at: datetime | None


def sides_of(project_id: int, conflict_ids: Iterable[int], *, quotes: int = 0) -> dict[int, list[SideRow]]:
    """The sides of each conflict, those that stand first, with at most so many quotes each. One statement."""
    found: dict[int, list[SideRow]] = {conflict_id: [] for conflict_id in conflict_ids}
    if not found:
        return found
    asked: dict[str, Any] = {"project": project_id, "conflicts": list(found), "open": OPEN_STATES, "quotes": quotes}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "conflict_sides"), asked)
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        found[row["conflict_id"]].append(
            SideRow(
                side=Side(_fact(project_id, row) if row["fact_id"] else _proposal(project_id, row)),
                stands=row["stands"],
                reads=row["reads"],
                more=row["more"],
                last_at=row["last_at"],
                quotes=row["quotes"] or [],
                by=row["by_whom"],
                at=row["at"],
            )
        )
    return found


def _fact(project_id: int, row: dict[str, Any]) -> Fact:
    return Fact(
        project_id=project_id,
        id=row["fact_id"],
        source=row["source"],
        approved_by=row["by_whom"],
        approved_at=row["at"],
        expires_at=row["expires_at"],
        corroborations=row["corroborations"],
        pinned=row["pinned"],
        restricted_at=row["restricted_at"],
        superseded_by_id=row["superseded_by_id"],
        superseded_at=None if row["stands"] or not row["superseded_by_id"] else row["created_at"],
        retired_at=row["retired_at"],
        **{name: row[name] for name in FACT},
    )


def _proposal(project_id: int, row: dict[str, Any]) -> Proposal:
    return Proposal(
        project_id=project_id,
        id=row["proposal_id"],
        origin=row["source"],
        state=row["state"],
        flags=row["flags"],
        reviewer=row["by_whom"],
        decided_at=row["at"],
        fact_id=row["superseded_by_id"],
        **{name: row[name] for name in FACT},
    )


def conflict_rows(project_id: int, *, settled: bool) -> "QuerySet[Conflict]":
    """Open or settled conflicts, in no order yet."""
    rows = Conflict.objects.filter(project_id=project_id, settled_at__isnull=not settled)
    return rows.select_related("subject", "agent")


def conflicts_called(project_id: int, *, settled: bool, words: str) -> "list[QuerySet[Conflict]]":
    """The same for whole ``words``: those on an attribute of that name, and those about whom or what is called so, each of
    an index of its own."""
    rows = Conflict.objects.filter(project_id=project_id, settled_at__isnull=not settled)
    subjects = Subject.objects.filter(project_id=project_id, kind="user", external_id=words)
    agents = Agent.objects.filter(project_id=project_id, name=words)
    return [
        rows.filter(attribute=words.casefold().replace(" ", "-")),
        rows.filter(subject_id__in=subjects.values("id")),
        rows.filter(agent_id__in=agents.values("id")),
        # Said, it opens the index of the few that have a place.
        rows.filter(scope_id=words).exclude(scope_id=""),
    ]


def conflict_count(project_id: int, *, settled: bool, words: str) -> int:
    """How many conflicts there are of a name, all without one, and MOST + 1 for any number beyond."""
    if not words:
        return capped_count(conflict_rows(project_id, settled=settled))
    called = conflicts_called(project_id, settled=settled, words=words)
    first, *others = (rows.order_by().values("pk")[: MOST + 1] for rows in called)
    return capped_count(first.union(*others))


def one_conflict(project_id: int, conflict_id: int) -> Conflict | None:
    """A conflict with ``before`` and ``after``, the numbers of its neighbours in the list of the open ones."""
    others = Conflict.objects.filter(project_id=OuterRef("project_id"), settled_at=None)
    before = others.filter(id__gt=OuterRef("id")).order_by("id").values("id")[:1]
    after = others.filter(id__lt=OuterRef("id")).order_by("-id").values("id")[:1]
    return (
        Conflict.objects.filter(project_id=project_id, id=conflict_id)
        .select_related("subject", "agent")
        .annotate(before=Subquery(before), after=Subquery(after))
        .first()
    )


def conflict_of_fact(project_id: int, fact_id: int) -> int | None:
    """The open conflict that has this fact, or what it was, on a side."""
    ids = [fact_id, *older_versions(project_id, fact_id)]
    sides = ConflictSide.objects.filter(project_id=project_id, conflict__settled_at=None)
    found = sides.filter(Q(fact_id__in=ids) | Q(proposal__fact_id__in=ids)).order_by("conflict_id")
    return found.values_list("conflict_id", flat=True).first()
