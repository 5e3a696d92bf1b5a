"""Values under keys as their agent reads them: what is told, its own operational values, and what its writer has waiting."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import F
from django.db.models.functions import Collate

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.core.errors import NotFound
from apps.core.keyset import decode_cursor, encode_cursor
from apps.core.transactions import bind
from apps.curation.models import Proposal, WaitingWrite
from apps.curation.waiting import own_writes
from apps.facts.models import OperationalValue
from apps.facts.places import client_of_place, place_of_client
from apps.facts.querysets import FactQuerySet
from apps.recall.clients import record_told, within_reach
from apps.recall.queries import Reader
from apps.tenancy.models import Agent, Subject
from apps.tenancy.queries import find_agent, find_subject

MOST_CURSOR = 10_000
"""A cursor holds a key, which may be all letters that take many bytes."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """One key. ``fact_id`` is null for what is no fact: an operational value, or one that ``waits`` for a person."""

    key: str
    value: Any
    fact_id: int | None
    at: datetime
    waits: bool = False


@dataclass(frozen=True)
class Shelf:
    """Where an agent's memories of one scope stand; ``subject`` is whom they are about."""

    agent: Agent
    scope: str
    scope_id: str
    subject: Subject | None


def shelf_of(actor: Actor, project_id: int, agent: str, scope: str) -> Shelf | None:
    """None where nobody knows the agent. Raises Refused for a key that is kept to others, and Invalid for a scope that names
    nobody. The project is bound."""
    kind, scope_id = place_of_client(scope)
    found = known_agent(actor, project_id, agent)
    if found is None:
        return None
    subject = find_subject(project_id=project_id, external_id=scope_id) if kind == "user" else None
    return Shelf(found, kind, subject.external_id if subject else scope_id, subject)


def known_agent(actor: Actor, project_id: int, name: str) -> Agent | None:
    """The agent of this name or id. Raises Refused as `meet_agent` does."""
    agent = find_agent(project_id=project_id, name_or_id=name.strip())
    if actor.agents is not None and (agent is None or agent.id not in actor.agents):
        raise Refused(actor, "memories.read", "This key may not name that agent.", project_id)
    return agent


def recall(*, actor: Actor, reader: Reader, agent: str, scope: str, key: str) -> Memory:
    """What stands under a key. Raises NotFound ``no_such_key``: a stored null is there. The read goes to the ledger."""
    require(actor, "memories.read", project_id=reader.project_id)
    with bind(reader.project_id):
        shelf = shelf_of(actor, reader.project_id, agent, scope)
        found = _merged(actor, reader, shelf, keys=[key]) if shelf else []
        if shelf is not None:
            _record(reader, shelf, found)
    if not found:
        raise NotFound("no_such_key", "Nothing is kept under this key.")
    return found[0]


def recall_all(
    *, actor: Actor, reader: Reader, agent: str, scope: str, cursor: str | None, limit: int
) -> tuple[list[Memory], str | None]:
    """A page of a scope's memories in the order of their keys, by code point, and the cursor of the next one. The read goes
    to the ledger. Raises Malformed `invalid_cursor`."""
    require(actor, "memories.read", project_id=reader.project_id)
    context = f"memories {replace(reader, key_id=None, since=None)} {actor.name} {agent} {scope}"
    after = decode_cursor(cursor, context=context, most=MOST_CURSOR)[0] if cursor is not None else None
    with bind(reader.project_id):
        shelf = shelf_of(actor, reader.project_id, agent, scope)
        if shelf is None:
            return [], None
        found = _merged(actor, reader, shelf, after=after, limit=limit + 1)
        page, more = found[:limit], len(found) > limit
        _record(reader, shelf, page)
    return page, encode_cursor([page[-1].key], context=context) if more else None


def scopes_of(*, actor: Actor, reader: Reader, agent: str) -> list[str]:
    """The scopes in which something is kept for an agent, as clients name them, in their order. Those of somebody who may not
    be remembered are left out."""
    require(actor, "memories.read", project_id=reader.project_id)
    with bind(reader.project_id):
        found = known_agent(actor, reader.project_id, agent)
        if found is None:
            return []
        project_id = reader.project_id
        facts = _facts(actor, reader).filter(agent_id=found.id)
        places = set(facts.order_by().values_list("scope", "scope_id").distinct())
        own = OperationalValue.objects.filter(project_id=project_id, agent_id=found.id)
        places |= set(own.order_by().values_list("scope", "scope_id").distinct())
        waiting = own_writes(actor, project_id).filter(
            proposal__in=_proposals_of(project_id, found), key__isnull=False, label="", value__isnull=False
        )
        places |= set(waiting.order_by().values_list("proposal__scope", "proposal__scope_id").distinct())
        users = [scope_id for scope, scope_id in places if scope == "user"]
        silent = Subject.objects.filter(project_id=project_id, external_id__in=users).exclude(suppressed_at=None)
        gone = {("user", name) for name in silent.values_list("external_id", flat=True)}
    return sorted(client_of_place(*place) for place in places - gone)


def _facts(actor: Actor, reader: Reader) -> FactQuerySet:
    return within_reach(reader, actor.name).active().filter(key__isnull=False, label="")


def _proposals_of(project_id: int, agent: Agent) -> Any:
    return Proposal.objects.in_project(project_id).filter(agent_id=agent.id)


def _merged(
    actor: Actor,
    reader: Reader,
    shelf: Shelf,
    *,
    keys: list[str] | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> list[Memory]:
    """Of each key what its reader sees: his own last word, if that waits, else what is told."""
    if shelf.subject is not None and shelf.subject.suppressed_at is not None:
        return []
    waiting = _waiting(actor, reader.project_id, shelf, keys=keys)
    place = {"agent_id": shelf.agent.id, "scope": shelf.scope, "scope_id": shelf.scope_id}
    facts = _facts(actor, reader).filter(**place)
    own = OperationalValue.objects.filter(project_id=reader.project_id, **place)
    found: dict[str, Memory] = {}
    # So many more rows as may be hidden by a removal that waits.
    most = None if limit is None else limit + len(waiting)
    for row in _from(facts, keys, after, most).values_list("key", "value", "id", "approved_at"):
        found[row[0]] = Memory(key=row[0], value=row[1], fact_id=row[2], at=row[3])
    for row in _from(own, keys, after, most).values_list("key", "value", "updated_at"):
        found[row[0]] = Memory(key=row[0], value=row[1], fact_id=None, at=row[2])
    for name, write in waiting.items():
        if after is not None and name <= after:
            continue
        if write is None:
            found.pop(name, None)
        else:
            found[name] = write
    return [found[name] for name in sorted(found)][:limit]


def _from(rows: Any, keys: list[str] | None, after: str | None, most: int | None) -> Any:
    if keys is not None:
        return rows.filter(key__in=keys)
    rows = rows.annotate(spelled=Collate(F("key"), "C"))
    if after is not None:
        rows = rows.filter(spelled__gt=after)
    return rows.order_by("spelled")[:most]


def _waiting(actor: Actor, project_id: int, shelf: Shelf, *, keys: list[str] | None) -> dict[str, Memory | None]:
    """The writer's last word on each key that nobody has decided about: None where he took it out."""
    rows = own_writes(actor, project_id).filter(
        proposal__in=_proposals_of(project_id, shelf.agent).filter(scope=shelf.scope, scope_id=shelf.scope_id),
        key__isnull=False,
        label="",
    )
    if keys is not None:
        rows = rows.filter(key__in=keys)
    found: dict[str, Memory | None] = {}
    for row in rows.order_by("id"):
        found[str(row.key)] = None if row.proposal.op == "retire" else _memory(row)
    return found


def _memory(row: WaitingWrite) -> Memory:
    return Memory(key=str(row.key), value=row.value, fact_id=None, at=row.proposal.created_at, waits=True)


def _record(reader: Reader, shelf: Shelf, found: Iterable[Memory]) -> None:
    ids = [one.fact_id for one in found if one.fact_id is not None]
    record_told(reader, ids, agent_id=shelf.agent.id, subject_id=shelf.subject.id if shelf.subject else None)
