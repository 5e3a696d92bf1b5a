"""The words proposals rest on, on their way to and from the rows."""

from collections.abc import Iterable

from apps.curation.models import Proposal, ProposalEvidence
from apps.facts.evidence import Evidence
from apps.tenancy.models import Subject


def add_evidence(
    proposal: Proposal, evidence: Iterable[Evidence], subject: Subject | None, *, first: bool = False
) -> None:
    """Add what is new of ``evidence``; a span counts once. ``first`` says that there is none yet. The caller holds the
    place's lock."""
    known = set() if first else {item.span for item in evidence_of(proposal)}
    ProposalEvidence.objects.bulk_create(
        [
            ProposalEvidence(
                project_id=proposal.project_id,
                proposal=proposal,
                subject=subject,
                trace_id=item.trace_id,
                message_id=item.message_id,
                quote=item.quote,
                start=item.start,
                end=item.end,
                observed_at=item.observed_at,
            )
            for item in dict.fromkeys(evidence)
            if item.span not in known
        ]
    )


def evidence_of(proposal: Proposal) -> list[Evidence]:
    """In the order it came."""
    rows = ProposalEvidence.objects.filter(project_id=proposal.project_id, proposal_id=proposal.id).order_by("id")
    return [
        Evidence(
            trace_id=row.trace_id,
            message_id=row.message_id,
            quote=row.quote,
            start=row.start,
            end=row.end,
            observed_at=row.observed_at,
        )
        for row in rows
    ]
