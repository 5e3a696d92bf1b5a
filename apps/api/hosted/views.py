"""Login, projects, keys, and the facts of an agent, as the hosted plane spells them. Fields that nobody here knows pass."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse

from apps.access.actions.issue_key import issue_key
from apps.access.actor import Actor
from apps.access.models import User
from apps.access.queries import actor_for_user, projects_of
from apps.api.errors import respond
from apps.api.hosted.tokens import LIFE, log_in, person_of
from apps.api.parsers import WIRE_BYTES, lenient_object
from apps.core.errors import Conflict, NotFound
from apps.core.fields import Reader, query_text
from apps.core.transactions import bind
from apps.facts.actions.add_fact import add_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Agent, Project
from apps.tenancy.queries import find_agent

View = Callable[..., HttpResponse]


def hosted(view: View) -> View:
    """Errors with an object as ``detail``, where its scripts look for a code in ``detail.error``."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Exception as error:
            refusal = respond(error)
            problem = orjson.loads(refusal.content)
            code = problem["type"].rpartition(":")[2]
            refusal.content = orjson.dumps(problem | {"detail": {"error": code, "message": problem["detail"]}})
            refusal["Content-Type"] = "application/json"
            return refusal

    return answered


@hosted
def login(request: HttpRequest) -> HttpResponse:
    body = _fields(request, "email", "password", "code")
    email, password = body.text("email", max_length=254), body.text("password", max_length=1024)
    code = body.text("code", max_length=20, default="")
    body.done()
    token = log_in(request, email, password, code)
    return _answer({"access_token": token, "token_type": "bearer", "expires_in": int(LIFE.total_seconds())})


@hosted
def domains(request: HttpRequest) -> HttpResponse:
    """Each project is a domain of its own."""
    return _answer([_named(project) for project in projects_of(person_of(request))])


@hosted
def domain_projects(request: HttpRequest, domain_id: str) -> HttpResponse:
    return _answer([_named(_project(person_of(request), domain_id))])


@hosted
def api_keys(request: HttpRequest) -> HttpResponse:
    """201 with the key's text, which is shown this once. The login has to be of the last five minutes."""
    user = person_of(request, fresh=True)
    body = _fields(request, "name", "domain_id", "scopes")
    name = body.text("name", max_length=120, one_line=True)
    domain = body.text("domain_id", max_length=120)
    scopes = body.text_list("scopes", max_items=50, max_length=40)
    body.done()
    project = _project(user, domain)
    key, text = issue_key(actor=_actor(user, project), project_id=project.id, name=name, scopes=scopes)
    return _answer({"id": str(key.id), "key": text, "name": key.name, "scopes": key.scopes}, 201)


@hosted
def memories(request: HttpRequest, agent_id: str) -> HttpResponse:
    """201: a fact of the agent, approved by whoever adds it. 409 `duplicate_fact` where it has that fact already."""
    user = person_of(request)
    body = _fields(request, "content", "category", "importance")
    content = body.text("content", max_length=2000)
    category = body.text("category", max_length=60, one_line=True, default="general")
    importance = body.number("importance", 0, 1, default=0.5)
    body.done()
    project, agent = _agent(user, agent_id)
    added = add_fact(
        actor=_actor(user, project),
        project_id=project.id,
        statement=Statement(
            scope="agent",
            scope_id=agent.name,
            agent_name=agent.name,
            content=content,
            category=category,
            importance=importance,
        ),
    )
    if not added.created:
        raise Conflict("duplicate_fact", f"Fact {added.fact.id} says this already.")
    return _answer(_memory(added.fact), 201)


@hosted
def redact(request: HttpRequest, agent_id: str, fact_id: int) -> HttpResponse:
    """Forgets a fact of the agent with the versions it replaced. ``reason`` is checked and not kept: the audit trail holds
    no text that may be about a person."""
    user = person_of(request)
    query_text(request.GET, "reason", "", max_length=500)
    project, agent = _agent(user, agent_id)
    with bind(project.id):
        theirs = Fact.objects.filter(project_id=project.id, id=fact_id, scope="agent", agent_id=agent.id).exists()
    if not theirs:
        raise NotFound("not_found", "The agent has no such memory.")
    done = forget_fact(actor=_actor(user, project), project_id=project.id, fact_id=fact_id)
    return _answer({"id": str(fact_id), "curation_status": "redacted", "redacted": done.before.as_dict()})


def _fields(request: HttpRequest, *names: str) -> Reader:
    sent = lenient_object(request, WIRE_BYTES)
    return Reader({name: sent[name] for name in names if name in sent})


def _project(user: User, domain_id: str) -> Project:
    for project in projects_of(user):
        if project.slug == domain_id:
            return project
    raise NotFound("not_found", "There is no such domain among yours.")


def _agent(user: User, agent_id: str) -> tuple[Project, Agent]:
    for project in projects_of(user):
        with bind(project.id):
            agent = find_agent(project_id=project.id, name_or_id=agent_id)
        if agent is not None and str(agent.id) == agent_id.lower():
            return project, agent
    raise NotFound("not_found", "There is no such agent in your domains.")


def _actor(user: User, project: Project) -> Actor:
    actor = actor_for_user(user, project)
    if actor is None:
        raise NotFound("not_found", "There is no such domain among yours.")
    return actor


def _named(project: Project) -> dict[str, str]:
    return {"id": project.slug, "name": project.name}


def _memory(fact: Fact) -> dict[str, Any]:
    return {
        "id": str(fact.id),
        "content": fact.content,
        "category": fact.category,
        "importance": fact.importance,
        "curation_status": "approved",
        "is_active": True,
        "created_at": fact.created_at,
    }


def _answer(value: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(orjson.dumps(value, option=orjson.OPT_UTC_Z), status=status, content_type="application/json")
