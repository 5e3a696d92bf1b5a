"""Who is meant by the knobs of the agent view, and what its menus offer, in one statement."""

import re
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import allowed
from apps.console.made import made
from apps.core.clock import now
from apps.core.together import together
from apps.tenancy.models import AGENT_ID, Agent, Subject, SubjectAlias

MOST_NAMES = 200
"""So many agents, users and keys stand in the menus; any other can be named in the address."""

# Not the secret's digest: nothing here checks a key.
KEY = [column.attname for column in ApiKey._meta.concrete_fields if column.attname not in {"secret_hash", "ip_allow"}]
SUBJECT = ["id", "project_id", "kind", "external_id", "epoch", "suppressed_at"]


@dataclass(frozen=True, kw_only=True)
class Met:
    """``agent`` is the one that is named, or the first by name where none is; ``key`` and ``subject`` are null where none is
    named, or there is none of that name. The lists are empty where no menus are asked for, or their reader may not know."""

    agent: Agent | None = None
    key: ApiKey | None = None
    subject: Subject | None = None
    agents: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    keys: list[ApiKey] = field(default_factory=list)


def met(project_id: int, actor: Actor, *, agent: str, user: str, key: int | None, menus: bool) -> Met:
    """The caller has bound the project. A user is found by his id or, failing that, by an alias."""
    named = Agent.objects.filter(project_id=project_id).order_by("name")
    if agent:
        wanted = Q(name=agent) | (Q(id=UUID(agent)) if re.fullmatch(AGENT_ID, agent) else Q())
        named = named.filter(wanted) if "\x00" not in agent else named.none()
    keys = ApiKey.objects.filter(project_id=project_id)
    subjects = Subject.objects.filter(project_id=project_id)
    own = subjects.filter(kind="user", external_id=user)
    aliases = SubjectAlias.objects.filter(project_id=project_id, external_id=user).values("subject_id")
    live = keys.filter(revoked_at=None, expires_at__gt=now()).order_by("name", "id")
    with_keys, with_users = allowed(actor, "keys.read"), allowed(actor, "facts.read_personal")
    known = subjects.filter(kind="user", suppressed_at=None).order_by("external_id")
    found = together(
        named.values()[:1],
        keys.filter(id=key).values(*KEY) if key is not None and with_keys else None,
        own.values(*SUBJECT) if user else None,
        subjects.filter(id__in=aliases).values(*SUBJECT) if user else None,
        Agent.objects.filter(project_id=project_id).order_by("name").values("name")[:MOST_NAMES] if menus else None,
        known.values("external_id")[:MOST_NAMES] if menus and with_users else None,
        live.values("id", "name", "public_id")[:MOST_NAMES] if menus and with_keys else None,
    )
    agents, chosen, by_id, by_alias, names, users, offered = found
    subject = next(iter([*by_id, *by_alias]), None)
    return Met(
        agent=made(Agent, agents[0]) if agents else None,
        key=_key(chosen[0]) if chosen else None,
        subject=made(Subject, subject) if subject else None,
        agents=[row["name"] for row in names],
        users=[row["external_id"] for row in users],
        keys=[made(ApiKey, row) for row in offered],
    )


def _key(row: dict[str, object]) -> ApiKey:
    key = made(ApiKey, row)
    key.agents = [UUID(str(one)) for one in key.agents] if key.agents is not None else None
    return key
