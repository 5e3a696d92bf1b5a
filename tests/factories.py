"""Plain functions that make rows for tests, through the verbs wherever a verb can.

    project = make_project("acme")
    agent = make_agent(project, "support")
    key, text = make_key(project, ["facts:read"], agents=[agent])
    curator = make_user(project, "curator")
    fact = make_fact(project, "Refunds take five days.", agent=agent)

What only time or an incident brings about (a key that has expired, a restricted fact) is written past the verb.
"""

import itertools
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.access.actions.create_project import create_project
from apps.access.actions.create_user import create_user
from apps.access.actions.grant_role import grant_role
from apps.access.actions.issue_key import issue_key
from apps.access.actions.register_agent import register_agent
from apps.access.actor import Actor
from apps.access.models import ApiKey, User
from apps.access.scopes import AGENT_SCOPES
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.actions.add_fact import add_fact
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Agent, Project, Subject

PASSWORD = "quiet-Otter-41-harbour"
_numbers = itertools.count(1)


def setup_actor(project: Project | None = None) -> Actor:
    """The product setting itself up: may make projects, users, roles, keys, agents and facts."""
    return Actor(kind="system", id="setup", project_id=project.id if project else None)


def user_actor(project: Project, *roles: str, user: User | None = None) -> Actor:
    """A member acting with these roles, for calling a verb without a request; makes him when none is given."""
    who = user or make_user(project, *roles)
    return Actor(kind="user", id=str(who.id), project_id=project.id, roles=frozenset(roles))


def make_project(slug: str = "acme", name: str = "") -> Project:
    return create_project(actor=setup_actor(), slug=slug, name=name or slug.title())


def make_agent(project: Project, name: str = "support", **fields: Any) -> Agent:
    """`fields`: agent_type, system_prompt, definition."""
    return register_agent(actor=setup_actor(project), project_id=project.id, name=name, **fields)[0]


def make_key(
    project: Project,
    scopes: Iterable[str] = AGENT_SCOPES,
    *,
    name: str = "test",
    agents: Iterable[Agent | UUID] | None = None,
    expired: bool = False,
    revoked: bool = False,
    **grants: Any,
) -> tuple[ApiKey, str]:
    """A key and its text. `grants`: categories, purposes, sensitivity_ceiling, write_mode, expires_at.

    No scopes at all, expired and revoked are states no one can ask for, so they are written past the verb.
    """
    wanted = list(scopes)
    key, text = issue_key(
        actor=setup_actor(project),
        project_id=project.id,
        name=name,
        scopes=wanted or ["privacy:open"],
        agents=None if agents is None else [a.id if isinstance(a, Agent) else a for a in agents],
        **grants,
    )
    changes: dict[str, Any] = {}
    if not wanted:
        changes["scopes"] = []
    if expired:
        changes |= {"created_at": now() - timedelta(days=2), "expires_at": now() - timedelta(days=1)}
    if revoked:
        changes |= {"revoked_at": now(), "revoke_reason": "leaked"}
    if changes:
        ApiKey.objects.filter(id=key.id).update(**changes)
        key.refresh_from_db()
    return key, text


def make_user(
    project: Project | None = None,
    *roles: str,
    email: str = "",
    name: str = "",
    password: str = PASSWORD,
) -> User:
    """Somebody who can log in with `password`, a member of `project` with `roles` (none: a stranger to it)."""
    user = create_user(
        actor=setup_actor(),
        email=email or f"person{next(_numbers)}@example.test",
        name=name,
        password=password,
    )
    for role in roles:
        assert project is not None, "a role is held in a project"
        grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=role)
    return user


def make_subject(project: Project, external_id: str = "user_1") -> Subject:
    with bind(project.id):
        return resolve_subject(project_id=project.id, external_id=external_id)


def make_fact(
    project: Project,
    content: str,
    *,
    agent: Agent | None = None,
    user: str | Subject | None = None,
    scope: str = "",
    scope_id: str = "",
    origin: Origin | None = None,
    expired: bool = False,
    retired: str = "",
    restricted: str = "",
    **marks: Any,
) -> Fact:
    """A served fact. The scope follows from whom it is for: an agent, a user (with an agent: through it only), else
    the whole project; `scope` and `scope_id` say it outright.

    `marks`: attribute, category, memory_type, confidence, importance, sensitivity, expires_at, valid_from, valid_to.
    `retired` and `restricted` are reasons of the model.
    """
    external_id = user.external_id if isinstance(user, Subject) else user
    if not scope:
        scope = "user" if external_id is not None else "agent" if agent else "project"
    statement = Statement(
        content=content,
        scope=scope,
        scope_id=scope_id or external_id or "",
        agent_name=agent.name if agent else "",
        **marks,
    )
    fact = add_fact(actor=setup_actor(project), project_id=project.id, statement=statement, origin=origin).fact
    changes: dict[str, Any] = {}
    at: datetime = now()
    if expired:
        changes["expires_at"] = at - timedelta(minutes=1)
    if retired:
        changes |= {"retired_at": at, "retired_reason": retired}
    if restricted:
        changes |= {"restricted_at": at, "restricted_reason": restricted}
    if changes:
        with bind(project.id):
            Fact.objects.filter(project_id=project.id, id=fact.id).update(**changes)
            fact.refresh_from_db()
    return fact
