"""A client takes values out again: one key, or all keys of a scope."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.core.transactions import bind
from apps.curation.memories import Shelf, shelf_of
from apps.curation.waiting import ask_to_retire, own_of_slot, own_writes, withdraw
from apps.curation.writing import of_persons, refuse_guarded, writes_directly
from apps.facts.append import Placed
from apps.facts.keyed import Slot, check_key, value_now
from apps.facts.locks import lock_key, locked_facts
from apps.facts.models import Fact, OperationalValue
from apps.recall.clients import within_hand
from apps.recall.queries import Reader


@dataclass(frozen=True)
class Removed:
    """``removed`` keys are gone for whoever asked; ``waiting`` of them until a person decides; ``kept`` is what a person
    answers for or holds, and stays."""

    removed: int = 0
    waiting: int = 0
    kept: int = 0


def remove_memories(
    *, actor: Actor, project_id: int, reader: Reader, agent: str, scope: str, key: str | None
) -> Removed:
    """Retire the value of ``key``, which stays as a version; None takes all keys of the scope, operational ones too, as one
    act with a verb of its own. A key that does not write directly asks a person to retire a value, and reads it no more.

    Raises Refused; NotFound ``no_such_key``; Conflict ``protected``, ``restricted`` for the one key that was named.
    """
    require(actor, "facts.write" if key is not None else "facts.clear", project_id=project_id)
    with bind(project_id):
        shelf = shelf_of(actor, project_id, agent, scope)
        if key is None:
            return _cleared(actor, reader, shelf) if shelf else Removed()
        check_key(key)
        done = _one(actor, reader, shelf, key) if shelf else None
        if done is None:
            raise NotFound("no_such_key", "Nothing is kept under this key.")
    return done


def _one(actor: Actor, reader: Reader, shelf: Shelf, key: str) -> Removed | None:
    project_id = reader.project_id
    lock_key(project_id, shelf.agent.id, shelf.scope, shelf.scope_id, key)
    if (gone := _operational(actor, project_id, shelf, key)) is not None:
        return Removed(removed=gone) if gone else None
    placed = Placed(shelf.scope_id, shelf.agent.id, shelf.subject.id if shelf.subject else None)
    slot = Slot(key=key)
    waiting = own_of_slot(actor, project_id, shelf.scope, placed, slot)
    said = [one for one in waiting if one.proposal.op != "retire"]
    fact = value_now(project_id, shelf.scope, placed, slot)
    if fact is not None and not within_hand(reader, actor.name).active().filter(id=fact.id).exists():
        fact = None
    if fact is None or writes_directly(actor):
        for one in said:
            withdraw(actor, one.proposal)
    if fact is None:
        return Removed(removed=1) if said else None
    if not writes_directly(actor):
        if len(said) < len(waiting):
            # It asked before, and reads it no more.
            return None
        ask_to_retire(actor, project_id, fact)
        return Removed(removed=1, waiting=1)
    refuse_guarded(fact)
    _retire(actor, [fact])
    return Removed(removed=1)


def _cleared(actor: Actor, reader: Reader, shelf: Shelf) -> Removed:
    project_id = reader.project_id
    if not actor.direct:
        raise Refused(actor, "facts.clear", "This needs a key that writes directly.", project_id)
    place = {"agent_id": shelf.agent.id, "scope": shelf.scope, "scope_id": shelf.scope_id}
    ids = within_hand(reader, actor.name).current().filter(**place, key__isnull=False, label="")
    facts = [
        fact for fact in locked_facts(project_id, list(ids.values_list("id", flat=True))).values() if fact.is_current
    ]
    theirs = of_persons(facts)
    going = [fact for fact in facts if fact.id not in theirs and fact.restricted_at is None]
    _retire(actor, going)
    own, _ = OperationalValue.objects.filter(project_id=project_id, **place).delete()
    waiting = own_writes(actor, project_id).filter(
        proposal__agent=shelf.agent, proposal__scope=shelf.scope, proposal__scope_id=shelf.scope_id, key__isnull=False
    )
    for one in waiting:
        withdraw(actor, one.proposal)
    done = Removed(removed=len(going) + own, kept=len(facts) - len(going))
    record(
        actor=actor,
        verb="memories.clear",
        object_type="agent",
        object_id=shelf.agent.id,
        data={"facts": sorted(fact.id for fact in going), "operational": own, "kept": done.kept},
    )
    return done


def _operational(actor: Actor, project_id: int, shelf: Shelf, key: str) -> int | None:
    """How many went; None for a key that is no operational one."""
    if not key.startswith("_"):
        return None
    rows = OperationalValue.objects.filter(
        project_id=project_id, agent=shelf.agent, scope=shelf.scope, scope_id=shelf.scope_id, key=key
    )
    gone, _ = rows.delete()
    if gone:
        record(
            actor=actor,
            verb="memories.remove",
            object_type="agent",
            object_id=shelf.agent.id,
            data={"operational": gone},
        )
    return gone


def _retire(actor: Actor, facts: list[Fact]) -> None:
    if not facts:
        return
    Fact.objects.filter(project_id=facts[0].project_id, id__in=[fact.id for fact in facts]).update(
        retired_at=now(), retired_reason="removed"
    )
    for fact in facts if len(facts) == 1 else []:
        record(actor=actor, verb="memories.remove", object_type="fact", object_id=fact.id)
