"""What a forget would reach."""

from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from apps.core.together import together
from apps.curation.models import Proposal, ProposalEvidence
from apps.facts.models import Fact, FactDerivation, FactSource
from apps.facts.queries import older_versions
from apps.recall.models import FactServing


@dataclass(frozen=True)
class ForgottenRows:
    """Ids of everything that goes: the fact and the versions it replaced, and the proposals about them; and these facts,
    as they were read."""

    fact_ids: list[int]
    proposal_ids: list[UUID]
    facts: list[Fact]


@dataclass(frozen=True)
class ForgetCounts:
    """Rows by store. ``tellings``, the counts of who was told, move by the minute, so that they are shown and recorded
    but make no preview outdated."""

    facts: int
    superseded: int
    evidence: int
    proposals: int
    tellings: int = field(default=0, compare=False)

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


def forgotten_rows(project_id: int, *fact_ids: int) -> ForgottenRows:
    """The facts' whole older history, merges of it that were taken back, closed rows that one of these is a copy of, and
    each proposal that made, or would change, one of these versions, or says the same words in the same scope. Empty when
    there is no such fact."""
    chain = [*fact_ids, *older_versions(project_id, *fact_ids)]
    lineage = FactDerivation.objects.filter(project_id=project_id)
    # What was made of these words and taken back says them still.
    made_of = lineage.filter(parent_id__in=chain, child__retired_reason="undone")
    copied = lineage.filter(child_id__in=chain, parent__norm_hash=F("child__norm_hash")).exclude(
        parent__superseded_at=None, parent__retired_at=None
    )
    # Each of its own index, which one condition with OR has none of.
    own = Fact.objects.in_project(project_id).filter(id__in=chain).order_by()
    ids = own.values("id").union(made_of.order_by().values("child_id"), copied.order_by().values("parent_id"))
    facts = list(Fact.objects.in_project(project_id).filter(id__in=ids).order_by("id"))
    if not facts:
        return ForgottenRows([], [], [])
    found = [fact.id for fact in facts]
    same = Q()
    for scope, scope_id, digest in {(fact.scope, fact.scope_id, bytes(fact.norm_hash)) for fact in facts}:
        same |= Q(scope=scope, scope_id=scope_id, norm_hash=digest)
    ours = Proposal.objects.in_project(project_id).order_by().values_list("id", flat=True)
    # Each of its own index, which one condition with OR has none of.
    about = ours.filter(fact_id__in=found).union(
        ours.filter(targets__fact_id__in=found),
        ours.filter(id__in=[fact.proposal_id for fact in facts if fact.proposal_id]),
        ours.filter(same),
    )
    return ForgottenRows(found, sorted(about), facts)


def forget_counts(project_id: int, rows: ForgottenRows) -> ForgetCounts:
    """How many of these rows there are now; asked before and after. One statement, or none."""
    proposals = Proposal.objects.in_project(project_id).filter(id__in=rows.proposal_ids)
    facts, sources, quotes, asked, told = together(
        Fact.objects.in_project(project_id)
        .filter(id__in=rows.fact_ids)
        .order_by()
        .values("project_id")
        .annotate(n=Count("id"), superseded=Count("superseded_at")),
        _counted(FactSource.objects.filter(project_id=project_id, fact_id__in=rows.fact_ids)),
        _counted(ProposalEvidence.objects.filter(project_id=project_id, proposal_id__in=rows.proposal_ids)),
        _counted(proposals),
        _counted(FactServing.objects.filter(project_id=project_id, fact_id__in=rows.fact_ids)),
    )
    return ForgetCounts(
        facts=_sum(facts),
        superseded=_sum(facts, "superseded"),
        evidence=_sum(sources) + _sum(quotes),
        proposals=_sum(asked),
        tellings=_sum(told),
    )


def _counted(rows: "QuerySet[Any, Any]") -> "QuerySet[Any, Any]":
    return rows.order_by().values("project_id").annotate(n=Count("id"))


def _sum(rows: list[dict[str, Any]], name: str = "n") -> int:
    """Of rows by project, of which there is one, or none where nothing was found."""
    return sum(row[name] for row in rows)
