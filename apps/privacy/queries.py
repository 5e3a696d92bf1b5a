"""What a forget would reach."""

from dataclasses import asdict, dataclass, field
from uuid import UUID

from django.db.models import F, Q

from apps.curation.models import Proposal, ProposalEvidence
from apps.facts.models import Fact, FactDerivation, FactSource
from apps.facts.queries import older_versions
from apps.recall.models import FactServing


@dataclass(frozen=True)
class ForgottenRows:
    """Ids of everything that goes: the fact and the versions it replaced, and the proposals about them."""

    fact_ids: list[int]
    proposal_ids: list[UUID]


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


def forgotten_rows(project_id: int, fact_id: int) -> ForgottenRows:
    """The fact's whole older history, merges of it that were taken back, closed rows that one of these is a copy of, and
    each proposal that made, or would change, one of these versions, or says the same words in the same scope. Empty when
    there is no such fact."""
    chain = [fact_id, *older_versions(project_id, fact_id)]
    lineage = FactDerivation.objects.filter(project_id=project_id)
    # What was made of these words and taken back says them still.
    made_of = lineage.filter(parent_id__in=chain, child__retired_reason="undone")
    copied = lineage.filter(child_id__in=chain, parent__norm_hash=F("child__norm_hash")).exclude(
        parent__superseded_at=None, parent__retired_at=None
    )
    found = Q(id__in=chain) | Q(id__in=made_of.values("child_id")) | Q(id__in=copied.values("parent_id"))
    facts = list(Fact.objects.in_project(project_id).filter(found).order_by("id"))
    fact_ids = [fact.id for fact in facts]
    about = Q(fact_id__in=fact_ids) | Q(targets__fact_id__in=fact_ids)
    for fact in facts:
        about |= Q(scope=fact.scope, scope_id=fact.scope_id, norm_hash=fact.norm_hash)
    proposals = Proposal.objects.in_project(project_id).filter(about) if facts else Proposal.objects.none()
    made_by = [fact.proposal_id for fact in facts if fact.proposal_id]
    ids = set(proposals.values_list("id", flat=True)) | set(
        Proposal.objects.in_project(project_id).filter(id__in=made_by).values_list("id", flat=True)
    )
    return ForgottenRows(fact_ids, sorted(ids))


def forget_counts(project_id: int, rows: ForgottenRows) -> ForgetCounts:
    """How many of these rows there are now; asked before and after."""
    facts = Fact.objects.in_project(project_id).filter(id__in=rows.fact_ids)
    return ForgetCounts(
        facts=facts.count(),
        superseded=facts.exclude(superseded_at=None).count(),
        evidence=FactSource.objects.filter(project_id=project_id, fact_id__in=rows.fact_ids).count()
        + ProposalEvidence.objects.filter(project_id=project_id, proposal_id__in=rows.proposal_ids).count(),
        proposals=Proposal.objects.in_project(project_id).filter(id__in=rows.proposal_ids).count(),
        tellings=FactServing.objects.filter(project_id=project_id, fact_id__in=rows.fact_ids).count(),
    )
