"""A client says that one fact takes the place of another; both are there."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.curation.waiting import ask_to_retire
from apps.curation.writing import is_a_persons, writes_directly
from apps.facts.append import supersede
from apps.facts.handling import require_current
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.recall.clients import within_hand
from apps.recall.queries import Reader


@dataclass(frozen=True)
class Superseded:
    """``fact`` is the one that holds now, or ``proposal`` waits, by which the old one would be retired."""

    fact: Fact
    proposal: Proposal | None = None


def supersede_fact(*, actor: Actor, project_id: int, reader: Reader, fact_id: int, by_id: int) -> Superseded:
    """Close ``fact_id`` in favour of ``by_id``. Said again it changes nothing. A key that does not write directly proposes it.

    Raises Refused; NotFound for one beyond the key's grants; Invalid: ``same_fact``, ``other_scope`` for facts of two
    places, ``not_a_statement`` for a value under a key; Conflict: ``fact_moved``, ``restricted``, and for a key that
    writes directly ``protected`` where the old one is pinned, trusted more than the new one, or a person's and the new one not.
    """
    require(actor, "facts.write", project_id=project_id)
    if fact_id == by_id:
        raise Invalid("same_fact", "A fact does not replace itself.", pointer="/by")
    with bind(project_id):
        ours = within_hand(reader, actor.name).filter(id__in=[fact_id, by_id])
        found = locked_facts(project_id, list(ours.values_list("id", flat=True)))
        if len(found) < 2:
            raise NotFound("not_found", "There is no such fact.")
        old, new = found[fact_id], found[by_id]
        if old.superseded_by_id == new.id:
            return Superseded(new)
        _check(old, new)
        if not writes_directly(actor):
            return Superseded(new, ask_to_retire(actor, project_id, old))
        _guard(old, new)
        supersede([old], new.id)
        if old.contested_at is not None and new.contested_at is None:
            # It settles no dispute by itself.
            new.contested_at = old.contested_at
            new.save(update_fields=["contested_at"])
        record(
            actor=actor,
            verb="facts.supersede",
            object_type="fact",
            object_id=new.id,
            data={"supersedes": [old.id]},
        )
    return Superseded(new)


def _check(old: Fact, new: Fact) -> None:
    if old.key is not None or new.key is not None:
        raise Invalid("not_a_statement", "A value under a key is replaced by writing the key.", pointer="/by")
    places = {(fact.scope, fact.scope_id, fact.agent_id, fact.label) for fact in (old, new)}
    if len(places) > 1:
        raise Invalid("other_scope", "The two are told to different readers.", pointer="/by")
    require_current(old)
    require_current(new)
    if old.restricted_at is not None or new.restricted_at is not None:
        raise Conflict("restricted", "One of them is held for now; nothing was changed.")


def _guard(old: Fact, new: Fact) -> None:
    """A person's word gives way to a person's alone, and what is trusted more to nothing less."""
    if old.pinned or old.trust > new.trust or (is_a_persons(old) and not is_a_persons(new)):
        raise Conflict("protected", f"A person answers for #{old.id}. Propose the change, or ask for it.")
