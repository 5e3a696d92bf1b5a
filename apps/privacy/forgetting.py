"""What goes when facts are forgotten: gathered under locks, then deleted with a tombstone for their words."""

from dataclasses import dataclass

from apps.core.clock import now
from apps.core.transactions import local_setting
from apps.curation.conflicts import clear_away, touching
from apps.curation.models import Proposal
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.privacy.queries import ForgottenRows, forgotten_rows
from apps.tenancy.tombstones import bury, fact_digest


@dataclass(frozen=True)
class Going:
    """Rows that a forget takes, locked."""

    rows: ForgottenRows
    proposals: list[Proposal]
    facts: dict[int, Fact]


def gathered(project_id: int, *fact_ids: int) -> Going:
    """All that goes with these facts. Proposals are locked before facts, as an approval takes them, or the two would wait
    for each other."""
    rows = forgotten_rows(project_id, *fact_ids)
    proposals = Proposal.objects.select_for_update().filter(project_id=project_id, id__in=rows.proposal_ids)
    return Going(rows, list(proposals.order_by("id")), locked_facts(project_id, rows.fact_ids))


def delete(project_id: int, going: Going, *, by: str, name: str) -> None:
    """Delete the rows; ``name`` says to which forget it belongs. The same words are not learned again from what was
    observed until now."""
    facts = going.facts
    digests = {fact_digest(project_id, fact.scope, fact.scope_id, fact.content) for fact in facts.values()}
    # The words as they were proposed too: a reviewer may have changed them, or the scope.
    digests |= {fact_digest(project_id, item.scope, item.scope_id, item.content) for item in going.proposals}
    bury(project_id, "fact", digests, until=now())
    with local_setting("app.erasing", name):
        conflicts = touching(project_id, list(facts), going.rows.proposal_ids)
        # Children first; what hangs on them (evidence, targets, lineage) goes with them in the database.
        Proposal.objects.filter(project_id=project_id, id__in=going.rows.proposal_ids).delete()
        Fact.objects.filter(project_id=project_id, id__in=list(facts)).delete()
        clear_away(project_id, conflicts, by=by)
