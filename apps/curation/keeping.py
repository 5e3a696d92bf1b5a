"""Closing facts in favour of one of them."""

from collections.abc import Sequence

from apps.access.actor import Actor
from apps.audit.actions.record import record
from apps.curation.conflicts import contest, settle, touching
from apps.facts.append import supersede
from apps.facts.corroborate import corroborate
from apps.facts.evidence import evidence_of
from apps.facts.models import Fact


def keep_one(
    actor: Actor, keep: Fact, others: Sequence[Fact], *, same: bool = True, verb: str = "duplicates.merge"
) -> list[int]:
    """Supersede ``others`` by ``keep``; all are locked and current. Where they say the ``same``, it gets their evidence and
    a dispute about them becomes one about it; where they contradict it, it gets neither. Returns the
    ids of the conflicts that are none any more."""
    project_id, ids = keep.project_id, [fact.id for fact in others]
    if same:
        corroborate(keep, evidence_of(project_id, ids))
    supersede(list(others), keep.id)
    if same and any(fact.contested_at for fact in others):
        contest(project_id, [keep.id])
    settled = settle(project_id, touching(project_id, ids, []), by=actor.name)
    record(actor=actor, verb=verb, object_type="fact", object_id=keep.id, data={"supersedes": ids})
    return settled
