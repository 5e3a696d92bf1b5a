"""A client keeps a value under a key: at once, or put before a person, as its API key's setting says."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import JSONField, Value

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.curation.waiting import draft, own_of_slot, withdraw
from apps.curation.writing import (
    TRUST,
    Word,
    looks_like_an_order,
    place_of,
    refuse_forgotten,
    refuse_guarded,
    screened,
    writes_directly,
)
from apps.facts.append import Origin, Placed, append_fact, next_fact_id, supersede
from apps.facts.keyed import Slot, check_key, check_room, line_of, value_now, written
from apps.facts.locks import lock_key
from apps.facts.models import Fact, OperationalValue
from apps.facts.once import note_once
from apps.facts.places import place_of_client
from apps.facts.statement import Statement
from apps.recall.clients import within_reach
from apps.recall.queries import Reader

OPERATIONAL = "_"
"""Keys that begin so are an agent's own values: never reviewed, told, dreamed or counted."""


@dataclass(frozen=True)
class Put:
    """``state`` is told, waiting, held or operational; ``created``: there was nothing under the key before, ``changed``:
    there was not this value."""

    state: str
    fact_id: int | None = None
    proposal: Proposal | None = None
    created: bool = False
    changed: bool = False


def put_memory(
    *,
    actor: Actor,
    project_id: int,
    agent: str,
    scope: str,
    key: str,
    value: Any,
    category: str = "general",
    sensitivity: str = "internal",
    idempotency_key: str = "",
    asked: bytes = b"",
    reader: Reader | None = None,
) -> Put:
    """The value replaces the one before, whatever its type; every one stays as a version. Whoever writes last wins, and what
    is there already is not written again. Under ``idempotency_key`` it is done once; ``asked`` is a digest of what was asked for
    under it, so that it is not done for something else.

    With a key that writes directly it is told at once, at an agent's trust; with any other, and where it reads like an order
    to an agent, or would replace what the ``reader`` may not know of, it waits for a person and its writer alone reads it. Raises Refused, Invalid with a pointer, and Conflict
    ``forgotten``, ``protected``, ``restricted``, ``refused_before``; nothing is written then.
    """
    require(actor, "facts.write", project_id=project_id)
    check_key(key)
    kind, scope_id = place_of_client(scope)
    word = Word(
        statement=Statement(
            content=line_of(key, value),
            scope=kind,
            scope_id=scope_id,
            agent_name=agent,
            category=category,
            sensitivity=sensitivity,
        ),
        slot=Slot(key=key, value=value),
        observed_at=now(),
    )
    if not agent.strip():
        raise Invalid("required", "Name the agent whose memory it is.", pointer="/agent")
    word, order = screened(word)
    with bind(project_id):
        if idempotency_key:
            note, first = note_once(project_id, actor.name, idempotency_key, asked)
            if not first:
                return Put("told" if note.fact_id else "done", note.fact_id)
        placed = place_of(actor, project_id, word.statement)
        check_room(placed.scope_id, word.slot)
        lock_key(project_id, placed.agent_id, kind, placed.scope_id, key)
        if key.startswith(OPERATIONAL):
            return _operational(actor, project_id, kind, placed, key, value)
        refuse_forgotten(project_id, word, placed)
        hidden = _hides(project_id, word, placed, reader, actor)
        if hidden or looks_like_an_order(order) or not writes_directly(actor):
            return _proposed(actor, project_id, word, placed, order=looks_like_an_order(order), hidden=hidden)
        put = _written(actor, project_id, word, placed)
        if idempotency_key:
            note.fact_id = put.fact_id
            note.save(update_fields=["fact_id"])
    return put


def _hides(project_id: int, word: Word, placed: Placed, reader: Reader | None, actor: Actor) -> bool:
    """Whether there is a value under the key that the reader may not know of."""
    before = value_now(project_id, word.statement.scope, placed, word.slot) if reader is not None else None
    if reader is None or before is None:
        return False
    return not within_reach(reader, actor.name).filter(id=before.id).exists()


def _operational(actor: Actor, project_id: int, scope: str, placed: Placed, key: str, value: Any) -> Put:
    assert placed.agent_id is not None
    row, created = OperationalValue.objects.update_or_create(
        project_id=project_id,
        agent_id=placed.agent_id,
        scope=scope,
        scope_id=placed.scope_id,
        key=key,
        defaults={
            "subject_id": placed.subject_id,
            # A null is a value like any other, and not the database's.
            "value": Value(value, JSONField()),
            "updated_at": now(),
        },
    )
    record(actor=actor, verb="memories.put", object_type="operational", object_id=row.pk)
    return Put("operational", created=created, changed=True)


def _written(actor: Actor, project_id: int, word: Word, placed: Placed) -> Put:
    statement, slot = word.statement, word.slot
    before = value_now(project_id, statement.scope, placed, slot)
    # The writer's last word counts, and this is it.
    for older in own_of_slot(actor, project_id, statement.scope, placed, slot):
        withdraw(actor, older.proposal)
    new_id = next_fact_id()
    if before is not None:
        if _same(before, slot):
            return Put("told", before.id)
        refuse_guarded(before)
        statement = _narrowed(statement, before)
        supersede([before], new_id)
    fact, _ = append_fact(
        project_id=project_id,
        statement=statement,
        placed=placed,
        origin=Origin(source=word.source, speaker="agent", trust=TRUST, observed_at=word.observed_at),
        approved_by=actor.name,
        evidence=[],
        fact_id=new_id,
        slot=slot,
    )
    data = {"supersedes": [before.id]} if before is not None else {}
    record(actor=actor, verb="memories.put", object_type="fact", object_id=fact.id, data=data)
    return Put("told", fact.id, created=before is None, changed=True)


def _same(before: Fact, slot: Slot) -> bool:
    return written(before.value) == written(slot.value) and Fact.objects.active().filter(id=before.id).exists()


def _narrowed(statement: Statement, before: Fact) -> Statement:
    """A new value is told no wider than the one before, which a person may have marked."""
    return replace(
        statement,
        sensitivity=max(statement.sensitivity, before.sensitivity, key=SENSITIVITIES.index),
        category=before.category if statement.category == "general" else statement.category,
        purposes=before.purposes,
        task_types=before.task_types,
    )


def _proposed(actor: Actor, project_id: int, word: Word, placed: Placed, *, order: bool, hidden: bool) -> Put:
    """``hidden``: its writer hears nothing of the value that would be replaced."""
    before = value_now(project_id, word.statement.scope, placed, word.slot)
    waiting = own_of_slot(actor, project_id, word.statement.scope, placed, word.slot)
    last = waiting[0] if waiting else None
    if last is not None and last.proposal.op != "retire" and written(last.value) == written(word.slot.value):
        return _waits(last.proposal)
    if before is not None:
        if not hidden and _same(before, word.slot):
            for one in waiting:
                withdraw(actor, one.proposal)
            return Put("told", before.id, changed=bool(waiting))
        word = replace(word, statement=_narrowed(word.statement, before))
    proposal, _ = draft(
        actor,
        project_id,
        word,
        placed,
        op="supersede" if before is not None else "add",
        flags={"injection"} if order else set(),
        target=before,
    )
    return replace(_waits(proposal), created=(hidden or before is None) and last is None, changed=True)


def _waits(proposal: Proposal) -> Put:
    return Put("held" if proposal.state == "quarantined" else "waiting", proposal=proposal)
