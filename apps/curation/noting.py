"""What taking a verdict back needs: noted around it, in its own transaction."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Max

from apps.curation.changes import state_of
from apps.curation.conflicts import conflicts_of, touching
from apps.curation.models import Conflict, Proposal, ProposalTarget
from apps.facts.models import Fact, FactSource

Item = dict[str, Any]


@dataclass(frozen=True)
class Before:
    """A locked proposal before somebody decides it: its state, its open conflicts, and the newest evidence of any
    fact."""

    was: str
    conflicts: list[int]
    last_source: int


def before(proposal: Proposal) -> Before:
    sources = FactSource.objects.filter(project_id=proposal.project_id).aggregate(last=Max("id"))
    ids = conflicts_of(proposal)
    if proposal.op == "retire":
        # What it retires leaves its conflicts, though the proposal is a side of none.
        targets = ProposalTarget.objects.filter(project_id=proposal.project_id, proposal=proposal)
        ids = sorted({*ids, *touching(proposal.project_id, list(targets.values_list("fact_id", flat=True)), [])})
    return Before(proposal.state, _open(proposal, ids), sources["last"] or 0)


def noted(then: Before, proposal: Proposal) -> Item:
    """The item of a change (`changes.record_change`): ids, states and counts. ``proposal`` is as the verdict left it,
    its ``fact`` as it was when the verdict found or made it."""
    still_open = _open(proposal, then.conflicts)
    item: Item = {
        "proposal": str(proposal.id),
        "state": proposal.state,
        "was": then.was,
        "at": plain(proposal.decided_at),
        "conflicts": [one for one in then.conflicts if one not in still_open],
    }
    if proposal.state != "applied" or proposal.fact is None:
        return item
    found = proposal.fact
    fact = Fact.objects.in_project(proposal.project_id).get(id=found.id)
    made = proposal.op != "retire" and fact.proposal_id == proposal.id
    item |= {"fact": fact.id, "made": made, "now": state_of(fact), "heard": fact.corroborations}
    replaced = (
        Fact.objects.in_project(proposal.project_id).filter(superseded_by_id=fact.id) if made else Fact.objects.none()
    )
    item["facts"] = sorted(replaced.values_list("id", flat=True))
    if not made:
        sources = FactSource.objects.filter(
            project_id=proposal.project_id, fact_id=fact.id, id__gt=then.last_source
        ).order_by("id")
        item |= {
            "sources": list(sources.values_list("id", flat=True)),
            "heard_before": found.corroborations,
            "seen_before": plain(found.last_seen_at),
        }
    return item


def plain(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _open(proposal: Proposal, ids: list[int]) -> list[int]:
    rows = Conflict.objects.filter(project_id=proposal.project_id, id__in=ids, settled_at=None)
    return sorted(rows.values_list("id", flat=True))
