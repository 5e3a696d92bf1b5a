"""Reading the queue, who would be told, and what a subject's cap may touch."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from apps.curation.models import Proposal, ProposalTarget
from apps.curation.querysets import ProposalQuerySet
from apps.facts.models import Fact
from apps.facts.querysets import FactQuerySet
from apps.recall.queries import nearest_facts
from apps.tenancy.models import Agent

WORDS_IN_COMMON = 0.2
"""Trigram similarity from which on a fact is shown beside a proposal."""


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """One view of the queue. ``state`` is "waiting" (undecided, not snoozed) or one of the states."""

    state: str = "waiting"
    scope: str = ""
    flag: str = ""
    trace_id: str = ""
    sensitivities: tuple[str, ...] = ()


def queue(project_id: int, wanted: QueueFilter) -> ProposalQuerySet:
    """The proposals a filter means, in no order yet."""
    proposals = Proposal.objects.in_project(project_id).filter(sensitivity__in=wanted.sensitivities)
    proposals = proposals.waiting() if wanted.state == "waiting" else proposals.filter(state=wanted.state)
    exact: dict[str, Any] = {}
    if wanted.scope:
        exact["scope"] = wanted.scope
    if wanted.trace_id:
        exact["source_trace_id"] = wanted.trace_id
    if wanted.flag:
        exact["flags__contains"] = [wanted.flag]
    return proposals.filter(**exact)


def decided_counts(project_id: int, since: datetime) -> dict[str, int]:
    """How many proposals were decided since a moment, by state."""
    rows = (
        Proposal.objects.in_project(project_id)
        .filter(decided_at__gte=since)
        .values("state")
        .annotate(n=Count("id"))
        .order_by()
    )
    return {row["state"]: row["n"] for row in rows}


def neighbours(proposal: Proposal, limit: int = 3) -> list[Fact]:
    """Active facts of the same scope id that share most words with the proposal, best first. By words alone: no page
    waits for a model."""
    near = nearest_facts(
        proposal.project_id,
        scope=proposal.scope,
        scope_id=proposal.scope_id,
        text=proposal.content,
        vector=None,
        limit=limit,
    )
    return [one.fact for one in near if one.words > WORDS_IN_COMMON]


@dataclass(frozen=True)
class Audience:
    """Who is told a statement of a scope: one sentence, and the agents by name when they are few."""

    sentence: str
    agents: list[str]


def audience(project_id: int, scope: str, scope_id: str) -> Audience:
    """Who will be told, as a reviewer reads it before approving."""
    if scope == "agent":
        return Audience(f"Told to {scope_id or 'one agent'} in every read, whoever the user is.", [scope_id])
    names = list(Agent.objects.filter(project_id=project_id).order_by("name").values_list("name", flat=True)[:20])
    if scope == "project":
        return Audience("Told to every agent of this project in every read.", names)
    if scope == "user":
        return Audience(
            f"Told only in reads that name the user {scope_id or '(nobody yet)'},"
            " with a key that may read users' facts.",
            names,
        )
    return Audience(f"Told only in reads that name this {scope}.", [])


def waiting_counts(user_id: int) -> dict[int, int]:
    """How many proposals wait in each project the user is a member of, by project id; works while none is bound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, waiting FROM waiting_counts(%s)", [user_id])
        return dict(cursor.fetchall())


def learned_about(project_id: int, subject_id: int) -> FactQuerySet:
    """The facts that count towards a subject's cap."""
    return Fact.objects.in_project(project_id).active().filter(subject_id=subject_id, source="learned")


def open_to_the_cap(project_id: int, subject_id: int) -> FactQuerySet:
    """Those of them that it may propose to retire, in no order yet."""
    made = Proposal.objects.filter(
        project_id=project_id,
        id=OuterRef("proposal_id"),
        fact_id=OuterRef("id"),
        norm_hash=OuterRef("norm_hash"),
    )
    # A fact is as it was learned if its own proposal made it and has its words; one that came without a proposal, if no
    # person approved it. An edited version is neither.
    untouched = Exists(made) | Q(proposal_id=None) & ~Q(approved_by__startswith="user:")
    return learned_about(project_id, subject_id).filter(untouched, ~Exists(retiring(project_id)), pinned=False)


def retiring(project_id: int) -> "QuerySet[ProposalTarget]":
    """Targets that would retire the fact of the row around it, whatever became of the proposal."""
    return ProposalTarget.objects.filter(project_id=project_id, fact_id=OuterRef("id"), proposal__op="retire")
