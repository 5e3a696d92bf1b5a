"""Delete one fact everywhere, for good."""

from dataclasses import dataclass

from django.db.models import Q

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind, local_setting
from apps.curation.conflicts import clear_away, touching
from apps.curation.models import Proposal
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.privacy.queries import ForgetCounts, forget_counts, forgotten_rows
from apps.tenancy.tombstones import bury, fact_digest


@dataclass(frozen=True)
class Forgotten:
    """What was there and what is left, store by store; ``after`` is counted, not assumed."""

    before: ForgetCounts
    after: ForgetCounts


def forget_fact(*, actor: Actor, project_id: int, fact_id: int, expected: ForgetCounts | None = None) -> Forgotten:
    """Delete a fact with the versions it replaced, their evidence, vectors, the counts of who was told them, and every
    proposal that made or targets them. A conflict that is left with one side is moot, one that is left with none goes too.

    A tombstone keeps the same words from being learned again from what was observed until now. The conversation they
    came from stays: forgetting a person's whole trace is an erasure. Raises NotFound, and Conflict
    ``preview_outdated`` when more or less would go than ``expected`` showed; nothing is deleted then.
    """
    require(actor, "privacy.forget_fact", project_id=project_id)
    with bind(project_id):
        rows = forgotten_rows(project_id, fact_id)
        # Proposals before facts, as an approval takes them, or the two would wait for each other.
        proposals = list(
            Proposal.objects.select_for_update().filter(project_id=project_id, id__in=rows.proposal_ids).order_by("id")
        )
        facts = locked_facts(project_id, rows.fact_ids)
        if fact_id not in facts:
            raise NotFound("not_found", "There is no such fact in this project.")
        before = forget_counts(project_id, rows)
        if expected is not None and expected != before:
            raise Conflict("preview_outdated", "The fact changed since the preview; look at it again.")
        digests = {fact_digest(project_id, fact.scope, fact.scope_id, fact.content) for fact in facts.values()}
        # The words as they were proposed too: a reviewer may have changed them, or the scope.
        digests |= {fact_digest(project_id, item.scope, item.scope_id, item.content) for item in proposals}
        bury(project_id, "fact", digests, until=now())
        with local_setting("app.erasing", f"forget:{fact_id}"):
            conflicts = touching(project_id, list(facts), rows.proposal_ids)
            # Children first; what hangs on them (evidence, targets, lineage) goes with them in the database.
            Proposal.objects.filter(Q(id__in=rows.proposal_ids), project_id=project_id).delete()
            Fact.objects.filter(project_id=project_id, id__in=list(facts)).delete()
            clear_away(project_id, conflicts, by=actor.name)
        after = forget_counts(project_id, rows)
        record(
            actor=actor,
            verb="privacy.forget_fact",
            object_type="fact",
            object_id=fact_id,
            data={"before": before.as_dict(), "after": after.as_dict()},
        )
    return Forgotten(before, after)
