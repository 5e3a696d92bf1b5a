"""The hosted plane's console routes: who may what, the shape its scripts read, and when a token ends."""

import functools
import json
import time
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.hashers import make_password
from django.core import signing
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from apps.access.actions.enable_second_step import enable_second_step
from apps.access.actions.end_sessions import end_sessions
from apps.access.actions.grant_role import grant_role
from apps.access.actor import Actor
from apps.access.models import ApiKey, User
from apps.api.hosted import tokens
from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.tenancy.models import Agent, Project
from tests.api.helpers import call, get, told
from tests.factories import PASSWORD, make_agent, make_fact, make_key, make_project, make_user, setup_actor
from tests.routes import CALLERS, HOSTED

FACT = "The customer's preferred contact channel is email."


@pytest.fixture(autouse=True)
def uncounted(db: None) -> None:
    """Tries of other tests from the same address."""
    cache.clear()


def ask(method: str, path: str, token: str | None = None, body: Any = None, **params: Any) -> HttpResponse:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    return call(method, path, None, body, headers=headers, prefix="/api/v1/", **params)


def token_of(user: User) -> str:
    return signing.dumps({"user": user.pk, "session": user.get_session_auth_hash()}, salt=tokens.SALT)


@functools.cache
def hashed() -> str:
    """A good hash takes its time; one is enough for all callers."""
    return make_password(PASSWORD)


def error(response: HttpResponse) -> tuple[int, str]:
    said = json.loads(response.content)
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies
    return response.status_code, said["detail"]["error"]


@pytest.mark.parametrize("route", HOSTED)
def test_who_may_what(route: str) -> None:
    method, expected = HOSTED[route]
    project = make_project("acme")
    agent = make_agent(project, "support")
    found = []
    for caller in CALLERS:
        fact = make_fact(project, f"Kept for the {caller}.", agent=agent)
        user = User.objects.create(email=f"{caller}@example.test", password=hashed())
        if caller not in ("anonymous", "stranger"):
            grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=caller)
        path = route.replace("<str:domain_id>", "acme").replace("<str:agent_id>", str(agent.id))
        body = {
            "email": user.email if caller != "anonymous" else "nobody@example.test",
            "password": PASSWORD,
            "name": "made by a script",
            "permissions": ["anything"],
            "domain_id": "acme",
            "scopes": ["facts:read"],
            "content": f"Added by the {caller}.",
        }
        token = None if caller == "anonymous" else token_of(user)
        response = ask(method, path.replace("<int:fact_id>", str(fact.id)), token, body if method == "POST" else None)
        found.append(response.status_code)
        for other in {"GET", "POST", "PUT", "PATCH", "DELETE"} - {method}:
            assert ask(other, path.replace("<int:fact_id>", str(fact.id)), token).status_code == 405
    assert tuple(found) == expected


def test_a_fact_is_added_told_and_redacted(project: Project, agent: Agent) -> None:
    user = make_user(project, "curator", email="grace@example.test")
    login = ask("POST", "auth/login", None, {"email": "Grace@example.test ", "password": PASSWORD})
    assert login.status_code == 200
    said = json.loads(login.content)
    token = said.pop("access_token")
    assert said == {"token_type": "bearer", "expires_in": 3600}
    assert json.loads(ask("GET", "users/me/domains", token).content) == [{"id": "acme", "name": "Acme"}]
    assert json.loads(ask("GET", "domains/acme/projects", token).content) == [{"id": "acme", "name": "Acme"}]

    wish = {"content": FACT, "category": "preferences", "importance": 0.9, "tags": ["unknown here"]}
    added = ask("POST", f"agents/{agent.id}/memories", token, wish)
    assert added.status_code == 201
    memory = json.loads(added.content)
    with bind(project.id):
        fact = Fact.objects.get()
        assert (fact.scope, fact.scope_id, fact.agent_id, fact.source) == ("agent", "support", agent.id, "manual")
        assert fact.approved_by == f"user:{user.pk}"
    assert memory.pop("created_at")[:10] == fact.created_at.date().isoformat()
    assert memory == {
        "id": str(fact.id),
        "content": FACT,
        "category": "preferences",
        "importance": 0.9,
        "curation_status": "approved",
        "is_active": True,
    }
    key = make_key(project, ["facts:read"])[1]
    assert told(get("memory/facts", key, agent_id=str(agent.id))) == [FACT]
    assert error(ask("POST", f"agents/{agent.id}/memories", token, wish)) == (409, "duplicate_fact")

    other = make_agent(project, "sales")
    assert error(ask("DELETE", f"agents/{other.id}/memories/{fact.id}/redact", token)) == (404, "not_found")
    assert told(get("memory/facts", key, agent_id=str(agent.id))) == [FACT]
    done = ask("DELETE", f"agents/{agent.id}/memories/{fact.id}/redact", token, reason="asked by grace@example.test")
    assert done.status_code == 200
    assert json.loads(done.content) == {
        "id": str(fact.id),
        "curation_status": "redacted",
        "redacted": {**json.loads(done.content)["redacted"], "facts": 1},
    }
    assert told(get("memory/facts", key, agent_id=str(agent.id))) == []
    with bind(project.id):
        assert Fact.objects.count() == 0
        events = AuditEvent.objects.filter(project_id=project.id, actor_kind="user").order_by("seq")
        assert list(events.values_list("verb", flat=True)) == ["facts.add", "privacy.forget_fact"]
        assert "grace" not in json.dumps(list(events.values_list("data", flat=True)))


def test_a_key_is_made_only_after_a_fresh_login(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = make_user(project, "admin")
    wish = {"name": "ci", "domain_id": "acme", "scopes": ["facts:read"], "permissions": []}
    made = ask("POST", "api-keys", token_of(admin), wish)
    assert made.status_code == 201
    said = json.loads(made.content)
    assert (said["name"], said["scopes"]) == ("ci", ["facts:read"])
    assert get("auth/check", said["key"]).status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr("django.core.signing.time.time", lambda: 1_900_000_000.0)
        old = token_of(admin)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_900_000_301.0)
    assert error(ask("POST", "api-keys", old, wish)) == (401, "login_again")
    assert ask("GET", "users/me/domains", old).status_code == 200
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_900_003_601.0)
    assert error(ask("GET", "users/me/domains", old)) == (401, "login_again")
    assert ApiKey.objects.count() == 1


def test_a_token_ends_with_password_sessions_and_account(project: Project) -> None:
    user = make_user(project, "viewer")
    assert ask("GET", "users/me/domains", token_of(user)).status_code == 200

    token = token_of(user)
    end_sessions(actor=Actor(kind="user", id=str(user.pk)), user_id=user.pk)
    assert error(ask("GET", "users/me/domains", token)) == (401, "not_authenticated")

    user.refresh_from_db()
    token = token_of(user)
    user.set_password("another one, long enough")
    user.save()
    assert error(ask("GET", "users/me/domains", token)) == (401, "not_authenticated")

    token = token_of(user)
    user.is_active = False
    user.save()
    assert error(ask("GET", "users/me/domains", token)) == (401, "not_authenticated")
    for bad in ("", "x", make_key(project)[1], token[:-1]):
        assert error(ask("GET", "users/me/domains", bad)) == (401, "not_authenticated")


def test_tries_are_counted_with_those_of_the_login_page(project: Project) -> None:
    user = make_user(project, "viewer", email="ada.lovelace@example.test")
    wrong = {"email": user.email, "password": "not this one"}
    assert [error(ask("POST", "auth/login", None, wrong)) for _ in range(5)] == [(401, "not_authenticated")] * 5
    refused = ask("POST", "auth/login", None, {"email": user.email, "password": PASSWORD})
    assert error(refused) == (429, "too_many_tries")
    assert 890 <= int(refused["Retry-After"]) <= 900
    page = Client().post("/account/login/", {"login": user.email, "password": PASSWORD})
    assert page.status_code == 429
    events = AuditEvent.objects.filter(verb="users.login")
    assert list(events.values_list("result", flat=True)) == ["denied"] * 5


def test_two_steps_are_two_steps_here_too(project: Project, settings: Settings) -> None:
    user = make_user(project, "admin", email="ada.lovelace@example.test")
    who: dict[str, Any] = {"email": user.email, "password": PASSWORD}
    settings.REQUIRE_SECOND_STEP = True
    assert error(ask("POST", "auth/login", None, who)) == (401, "set_up_second_step")
    secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    actor = Actor(kind="user", id=str(user.pk))
    codes = enable_second_step(actor=actor, user_id=user.pk, secret=secret, code=code)
    assert error(ask("POST", "auth/login", None, who)) == (401, "code_needed")
    assert error(ask("POST", "auth/login", None, who | {"code": code})) == (401, "code_needed")  # used before
    assert ask("POST", "auth/login", None, who | {"code": codes[0]}).status_code == 200
    assert [error(ask("POST", "auth/login", None, who | {"code": "000000"}))[0] for _ in range(5)] == [401] * 4 + [429]


def test_bad_wishes_are_refused_and_change_nothing(project: Project, agent: Agent) -> None:
    token = token_of(make_user(project, "curator"))
    path = f"agents/{agent.id}/memories"
    assert error(ask("POST", path, token, {"content": " "})) == (422, "blank")
    assert error(ask("POST", path, token, {"content": "x" * 2001})) == (422, "too_long")
    assert error(ask("POST", path, token, {"content": FACT, "importance": 2})) == (422, "out_of_range")
    assert error(ask("POST", path, token, {})) == (422, "required")
    assert error(ask("POST", "agents/support/memories", token, {"content": FACT})) == (404, "not_found")
    assert error(ask("POST", "auth/login", None, {"email": 7, "password": PASSWORD})) == (422, "wrong_type")
    assert ask("GET", "nothing", token).status_code == 404
    with bind(project.id):
        assert Fact.objects.count() == 0
