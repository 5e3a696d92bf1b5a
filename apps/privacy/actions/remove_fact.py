"""A client takes a fact out again: with all its history, or by asking a person to."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.curation.waiting import ask_to_retire
from apps.curation.writing import refuse_guarded, writes_directly
from apps.privacy.actions.forget_fact import forget_fact
from apps.privacy.forgetting import gathered
from apps.privacy.queries import ForgetCounts
from apps.recall.clients import within_hand
from apps.recall.queries import Reader


@dataclass(frozen=True)
class Removed:
    """What went, store by store, or the ``proposal`` to retire the fact that waits for a person."""

    counts: ForgetCounts | None = None
    proposal: Proposal | None = None


def remove_fact(*, actor: Actor, project_id: int, reader: Reader, fact_id: int) -> Removed:
    """Forget the fact (`forget_fact`); a key that does not write directly proposes to retire it. Raises Refused, NotFound for
    one beyond the key's grants, and Conflict: ``protected``, ``restricted`` where a person has a say in one of its
    versions, ``fact_moved`` for a proposal about a closed one."""
    require(actor, "facts.write", project_id=project_id)
    with bind(project_id):
        fact = within_hand(reader, actor.name).filter(id=fact_id).first()
        if fact is None:
            raise NotFound("not_found", "There is no such fact.")
        if writes_directly(actor):
            for one in gathered(project_id, fact_id).facts.values():
                refuse_guarded(one)
            return Removed(counts=forget_fact(actor=actor, project_id=project_id, fact_id=fact_id).before)
        return Removed(proposal=ask_to_retire(actor, project_id, fact))
