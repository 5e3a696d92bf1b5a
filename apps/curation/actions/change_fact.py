"""A client says a fact better, from the version that it read; at once, or put before a person, as its key's setting says."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound, Stale
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.curation.waiting import draft
from apps.curation.writing import (
    TRUST,
    Word,
    looks_like_an_order,
    refuse_forgotten,
    refuse_guarded,
    screened,
    writes_directly,
)
from apps.facts.append import Origin, Placed, append_fact, next_fact_id, supersede
from apps.facts.evidence import evidence_of
from apps.facts.handling import require_current
from apps.facts.keyed import slot_of
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.statement import statement_of
from apps.recall.clients import within_hand
from apps.recall.queries import Reader


@dataclass(frozen=True)
class Changed:
    """``fact`` is the new version, or ``proposal`` waits, by which ``fact`` would give way."""

    fact: Fact
    proposal: Proposal | None = None


def change_fact(
    *, actor: Actor, project_id: int, reader: Reader, fact_id: int, seen: datetime | None, changes: dict[str, Any]
) -> Changed:
    """Supersede ``fact_id`` by a version with these fields of a Statement, in the same place; it is told no wider than before.
    ``seen`` is when the version that the client read was changed last; None stands for any.

    Raises Refused; NotFound for one beyond the key's grants; Stale where it was changed since; Invalid: ``unchanged``,
    ``not_a_statement`` for a value under a key, and those of a new fact; Conflict: ``fact_moved``, ``fact_exists``,
    ``forgotten``, ``protected``, ``restricted``, ``refused_before``. Nothing is written then.
    """
    require(actor, "facts.write", project_id=project_id)
    with bind(project_id):
        ours = within_hand(reader, actor.name).filter(id=fact_id)
        old = locked_facts(project_id, list(ours.values_list("id", flat=True))).get(fact_id)
        if old is None:
            raise NotFound("not_found", "There is no such fact.")
        if seen is not None and old.updated_at != seen:
            raise Stale("precondition_failed", "The fact was changed since it was read; nothing was changed.")
        if old.key is not None:
            raise Invalid("not_a_statement", "A value under a key is replaced by writing the key.")
        require_current(old)
        refuse_guarded(old)
        before = statement_of(old)
        statement = replace(before, **changes)
        word = Word(statement=statement, slot=slot_of(old, statement.content), observed_at=now())
        word, order = screened(word)
        # Told no wider than before, which a person may have marked.
        label = max(word.statement.sensitivity, old.sensitivity, key=SENSITIVITIES.index)
        word = replace(word, statement=replace(word.statement, sensitivity=label))
        if word.statement.marks() == before.marks():
            raise Invalid("unchanged", "Nothing would be changed.", pointer="")
        placed = Placed(old.scope_id, old.agent_id, old.subject_id)
        refuse_forgotten(project_id, word, placed)
        if looks_like_an_order(order) or not writes_directly(actor):
            flags = {"injection"} if looks_like_an_order(order) else set[str]()
            return Changed(old, draft(actor, project_id, word, placed, op="supersede", flags=flags, target=old)[0])
        return Changed(_written(actor, project_id, old, word, placed))


def _written(actor: Actor, project_id: int, old: Fact, word: Word, placed: Placed) -> Fact:
    new_id = next_fact_id()
    supersede([old], new_id)
    new, created = append_fact(
        project_id=project_id,
        statement=word.statement,
        placed=placed,
        origin=Origin(
            source=word.source,
            speaker="agent",
            trust=min(old.trust, TRUST),
            observed_at=word.observed_at,
            source_trace_id=old.source_trace_id,
        ),
        approved_by=actor.name,
        evidence=evidence_of(project_id, [old.id]),
        fact_id=new_id,
        slot=word.slot,
    )
    if not created:
        raise Conflict("fact_exists", "Another fact of this place says this already.")
    if old.contested_at is not None:
        # It settles no dispute by itself.
        new.contested_at = old.contested_at
        new.save(update_fields=["contested_at"])
    record(actor=actor, verb="facts.revise", object_type="fact", object_id=new.id, data={"supersedes": [old.id]})
    return new
