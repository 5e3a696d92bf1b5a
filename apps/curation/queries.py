"""Reading the queue, who would be told, and what a subject's cap may touch."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from apps.core.counting import MOST
from apps.curation.models import Proposal, ProposalTarget
from apps.curation.querysets import SNOOZED, WAITING, ProposalQuerySet
from apps.facts.models import Fact
from apps.facts.querysets import FactQuerySet

WORDS_IN_COMMON = 0.2
"""Trigram similarity from which on a fact is shown beside a proposal."""


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """One view of the queue; empty values leave a filter out.

    ``state`` is "waiting" (undecided, not snoozed), "snoozed" or one of the states; ``held`` those that somebody has to
    look at twice. ``flags``: any of these, "none" for those without any. ``assignee`` is a user's id, 0 for nobody.
    ``sensitivities`` is what the reader may see.
    """

    state: str = "waiting"
    held: bool = False
    assignee: int | None = None
    flags: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    scope_id: str = ""
    agent_id: UUID | None = None
    conf_min: float | None = None
    conf_max: float | None = None
    trace_id: str = ""
    decided_since: datetime | None = None
    sensitivities: tuple[str, ...] = ()


def queue(project_id: int, wanted: QueueFilter) -> ProposalQuerySet:
    """The proposals a filter means, in no order yet."""
    return Proposal.objects.in_project(project_id).filter(condition(wanted))


def condition(wanted: QueueFilter) -> Q:
    """What a filter asks of a proposal."""
    asked = Q(sensitivity__in=wanted.sensitivities)
    if wanted.state in {"waiting", "snoozed"}:
        asked &= WAITING if wanted.state == "waiting" else SNOOZED
    else:
        # That it is decided follows from the state; said, it opens the index of what is.
        asked &= Q(state=wanted.state, decided_at__isnull=False)
    if wanted.flags:
        named = [flag for flag in wanted.flags if flag != "none"]
        flagged = Q(flags__overlap=named) if named else Q(pk__in=[])
        asked &= flagged | Q(flags=[]) if "none" in wanted.flags else flagged
    if wanted.held:
        asked &= Q(state="quarantined")
    if wanted.assignee is not None:
        asked &= Q(assignee=wanted.assignee) if wanted.assignee else Q(assignee=None)
    exact: dict[str, Any] = {
        "scope__in": wanted.scopes,
        "scope_id": wanted.scope_id,
        "origin__in": wanted.origins,
        "agent_id": wanted.agent_id,
        "confidence__gte": wanted.conf_min,
        "confidence__lte": wanted.conf_max,
        "source_trace_id": wanted.trace_id,
        "decided_at__gte": wanted.decided_since,
    }
    return asked & Q(**{name: value for name, value in exact.items() if value not in ("", (), None)})


MOST_COUNTED = 1_000
"""Counts of the queue end here: more is "1,000+"."""


@dataclass(frozen=True)
class Counted:
    """What the counts of the queue are made of: one undecided proposal. ``later``: it is snoozed."""

    state: str
    later: bool
    assignee: int | None
    scope: str
    scope_id: str
    origin: str
    flags: list[str]
    confidence: float
    agent_id: UUID | None
    trace_id: str | None

    def matches(self, wanted: QueueFilter) -> bool:
        """What `queue` says of it."""
        return (
            self.later == (wanted.state == "snoozed")
            and (not wanted.held or self.state == "quarantined")
            and wanted.assignee in (None, self.assignee or 0)
            and (not wanted.flags or bool({*(self.flags or ["none"])} & {*wanted.flags}))
            and (not wanted.origins or self.origin in wanted.origins)
            and (not wanted.scopes or self.scope in wanted.scopes)
            and wanted.scope_id in ("", self.scope_id)
            and wanted.agent_id in (None, self.agent_id)
            and (wanted.conf_min is None or self.confidence >= wanted.conf_min)
            and (wanted.conf_max is None or self.confidence <= wanted.conf_max)
            and wanted.trace_id in ("", self.trace_id)
        )


def newest_undecided(project_id: int, sensitivities: tuple[str, ...]) -> tuple[list[Counted], bool]:
    """The newest 1,000 undecided proposals, snoozed ones among them, and whether there are more; no row is read, the
    index holds it all."""
    rows = (
        Proposal.objects.in_project(project_id)
        .undecided()
        .filter(sensitivity__in=sensitivities)
        .annotate(later=Coalesce(Q(snoozed_until__gt=Now()), False))
        .order_by("-created_at", "-id")
        .values_list(
            *("state", "later", "assignee", "scope", "scope_id"),
            *("origin", "flags", "confidence", "agent_id", "source_trace_id"),
        )
    )
    found = [Counted(*row) for row in rows[: MOST_COUNTED + 1]]
    return found[:MOST_COUNTED], len(found) > MOST_COUNTED


def told_for(statement: Proposal) -> str:
    """For what alone it would be told, in sentences; empty for anything."""
    limits = (("purpose", statement.purposes), ("task", statement.task_types))
    return " ".join(f"Only for the {name} {' or '.join(names)}." for name, names in limits if names)


def told_to(scope: str, scope_id: str) -> str:
    """Who is told a statement of a scope, in a sentence."""
    if scope == "agent":
        return f"Told to {scope_id or 'one agent'} in every read, whoever the user is."
    if scope == "project":
        return "Told to every agent of this project in every read."
    if scope == "user":
        return (
            f"Told only in reads that name the user {scope_id or '(nobody yet)'},"
            " with a key that may read users' facts."
        )
    return f"Told only in reads that name this {scope}."


@dataclass(frozen=True)
class Waiting:
    """Proposals and conflicts that wait for somebody, each up to `counting.MOST` and one more."""

    proposals: int = 0
    conflicts: int = 0


def waiting_counts(user_id: int) -> dict[int, Waiting]:
    """What waits in each project the user is a member of, by project id; works while none is bound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, proposals, conflicts FROM waiting_counts(%s, %s)", [user_id, MOST + 1])
        return {project_id: Waiting(*counts) for project_id, *counts in cursor.fetchall()}


def learned_about(project_id: int, subject_id: int) -> FactQuerySet:
    """The facts that count towards a subject's cap."""
    return Fact.objects.in_project(project_id).active().filter(subject_id=subject_id, source="learned")


def open_to_the_cap(project_id: int, subject_id: int) -> FactQuerySet:
    """Those of them that it may propose to retire, in no order yet."""
    # A value, because of an EXISTS beside an OR Postgres makes a table of all proposals where there are not many.
    made = Proposal.objects.filter(
        project_id=project_id, id=OuterRef("proposal_id"), norm_hash=OuterRef("norm_hash")
    ).values("fact_id")
    # A fact is as it was learned if its own proposal made it and has its words; one that came without a proposal, if no
    # person approved it. An edited version is neither.
    untouched = Q(made_of_own=F("id")) | Q(proposal_id=None) & ~Q(approved_by__startswith="user:")
    learned = learned_about(project_id, subject_id).alias(made_of_own=Subquery(made))
    return learned.filter(untouched, ~Exists(retiring(project_id)), pinned=False)


def retiring(project_id: int) -> "QuerySet[ProposalTarget]":
    """Targets that would retire the fact of the row around it, whatever became of the proposal."""
    return ProposalTarget.objects.filter(project_id=project_id, fact_id=OuterRef("id"), proposal__op="retire")
