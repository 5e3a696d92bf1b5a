"""API keys: their form, what is stored, who may make and end them."""

import hmac
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.access import key_cache
from apps.access.actions import authenticate_key as module
from apps.access.actions.authenticate_key import authenticate_key
from apps.access.actions.issue_key import issue_key
from apps.access.actions.register_agent import register_agent
from apps.access.actions.revoke_key import revoke_key
from apps.access.keys import KEY_PATTERN, hash_key, public_id_of
from apps.access.keys import make_key as new_key
from apps.access.models import ApiKey
from apps.access.policies import Refused
from apps.access.queries import actor_for_key
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotAuthenticated, NotFound
from apps.core.ids import crc_base62
from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project
from tests.factories import make_agent, make_key, make_project, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def test_the_form_of_a_key() -> None:
    key = new_key()
    assert re.fullmatch(r"mp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}", key.text)
    assert KEY_PATTERN.fullmatch(key.text) and public_id_of(key.text) == key.public_id
    assert len(key.secret_hash) == 32 and key.secret_hash == hash_key(key.text)
    assert new_key().text != key.text
    for wrong in (key.text[:-1] + ("0" if key.text[-1] != "0" else "1"), key.text + "0", "", "mp_", key.text.lower()):
        assert public_id_of(wrong) is None or wrong == key.text


def test_nothing_stored_leads_back_to_the_key(project: Project) -> None:
    key, text = make_key(project)
    secret = text.split("_")[2]
    row = ApiKey.objects.filter(id=key.id).values().get()
    assert not any(secret in str(value) for value in row.values())
    with bind(project.id):
        event = AuditEvent.objects.get(verb="keys.issue")
        assert secret not in str(event.data) and event.data["public_id"] == key.public_id


def test_a_key_opens_until_it_is_revoked_or_expired(project: Project) -> None:
    key, text = make_key(project)
    assert authenticate_key(text).id == key.id
    tampered = text[:20] + ("A" if text[20] != "A" else "B") + text[21:]
    refusals = []
    for wrong in ("", "nonsense", tampered, new_key().text, make_key(project, expired=True)[1]):
        with pytest.raises(NotAuthenticated) as refused:
            authenticate_key(wrong)
        refusals.append(str(refused.value))
    revoke_key(actor=user_actor(project, "admin"), project_id=project.id, key_id=key.id, reason="leaked")
    with pytest.raises(NotAuthenticated) as refused:
        authenticate_key(text)
    assert set(refusals) == {str(refused.value)}  # the same words for every reason


def test_its_use_is_noted_at_most_once_a_minute(project: Project) -> None:
    key, text = make_key(project)
    authenticate_key(text)
    first = ApiKey.objects.get(id=key.id).last_used_at
    authenticate_key(text)
    assert ApiKey.objects.get(id=key.id).last_used_at == first is not None
    ApiKey.objects.update(last_used_at=now() - timedelta(minutes=2))
    key_cache.drop(key.id)  # as after some seconds
    authenticate_key(text)
    assert ApiKey.objects.get(id=key.id).last_used_at >= first


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"name": " "}, "/name"),
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["facts:read", "all"]}, "/scopes"),
        ({"sensitivity_ceiling": "secret"}, "/sensitivity_ceiling"),
        ({"write_mode": "loud"}, "/write_mode"),
        ({"expires_at": now() - timedelta(days=1)}, "/expires_at"),
        ({"expires_at": now() + timedelta(days=366)}, "/expires_at"),
        ({"agents": [uuid4()]}, "/agents"),
    ],
)
def test_a_bad_request_makes_no_key(project: Project, asked: dict, pointer: str) -> None:
    wanted = {"name": "bot", "scopes": ["facts:read"]} | asked
    with pytest.raises(Invalid) as refused:
        issue_key(actor=user_actor(project, "admin"), project_id=project.id, **wanted)
    assert [error.pointer for error in refused.value.errors] == [pointer]
    assert ApiKey.objects.count() == 0


def test_an_agent_of_another_project_cannot_be_granted(project: Project) -> None:
    foreign = make_agent(make_project("globex"), "support")
    with pytest.raises(Invalid):
        issue_key(
            actor=user_actor(project, "admin"),
            project_id=project.id,
            name="bot",
            scopes=["facts:read"],
            agents=[foreign.id],
        )
    assert ApiKey.objects.count() == 0


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "auditor"])
def test_only_an_admin_makes_and_ends_keys(project: Project, role: str) -> None:
    key, _ = make_key(project)
    actor = user_actor(project, role)
    with pytest.raises(Refused):
        issue_key(actor=actor, project_id=project.id, name="bot", scopes=["facts:read"])
    with pytest.raises(Refused):
        revoke_key(actor=actor, project_id=project.id, key_id=key.id, reason="leaked")
    key.refresh_from_db()
    assert (ApiKey.objects.count(), key.revoked_at) == (1, None)


def test_revoking_happens_once_and_in_ones_own_project(project: Project) -> None:
    key, _ = make_key(project)
    other = make_project("globex")
    with pytest.raises(NotFound):
        revoke_key(actor=user_actor(other, "admin"), project_id=other.id, key_id=key.id, reason="leaked")
    admin = user_actor(project, "admin")
    revoke_key(actor=admin, project_id=project.id, key_id=key.id, reason="leaked")
    with pytest.raises(Conflict):
        revoke_key(actor=admin, project_id=project.id, key_id=key.id, reason="unused")
    key.refresh_from_db()
    assert (key.revoke_reason, str(key.revoked_by_id)) == ("leaked", admin.id)


@pytest.mark.parametrize(
    "columns",
    [
        {"public_id": "short"},
        {"sensitivity_ceiling": "secret"},
        {"write_mode": "loud"},
        {"name": " "},
        {"rate_per_minute": 0},
        {"revoke_reason": "leaked"},
        {"expires_at": "2001-01-01T00:00:00Z"},
    ],
)
def test_the_database_refuses_a_bad_key(project: Project, columns: dict) -> None:
    key, _ = make_key(project)
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiKey.objects.filter(id=key.id).update(**columns)


def test_a_key_for_some_agents_registers_no_other(project: Project) -> None:
    mine, other = make_agent(project, "support"), make_agent(project, "orders")
    key, _ = make_key(project, agents=[mine])
    actor = actor_for_key(key)
    agent, created = register_agent(actor=actor, project_id=project.id, name="support", agent_type="crew")
    assert (agent.id, created, agent.version) == (mine.id, False, 2)
    for name in ("orders", "brand-new"):
        with pytest.raises(Refused):
            register_agent(actor=actor, project_id=project.id, name=name, agent_type="crew")
    with bind(project.id):
        assert Agent.objects.get(id=other.id).version == 1
        assert Agent.objects.count() == 2


def test_every_bad_key_costs_the_same_work(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """One look at the database, one hash, one comparison that does not end early, whatever is wrong."""
    work: Counter[str] = Counter()

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            work[name] += 1
            return real(*args)

        return call

    monkeypatch.setattr(module, "hash_key", counted("hash", hash_key))
    monkeypatch.setattr(hmac, "compare_digest", counted("compare", hmac.compare_digest))
    key, text = make_key(project)
    other = text[:12] + new_key().text[12:55]
    wrong_secret = f"{other}_{crc_base62(other)}"
    assert public_id_of(wrong_secret) == key.public_id
    for bad in ("", "nonsense", text[:-1], new_key().text, wrong_secret, "mp_" + "a" * 60_000):
        work.clear()
        with pytest.raises(NotAuthenticated), CaptureQueriesContext(connection) as queries:
            authenticate_key(bad)
        assert (work, len(queries)) == ({"hash": 1, "compare": 1}, 1), bad[:20]


def test_the_form_for_secret_scanners_is_published() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "keys.md").read_text()
    assert f"`{KEY_PATTERN.pattern}`" in docs
    text = f"api_key = '{new_key().text}'  # in a file"
    assert KEY_PATTERN.search(text) is not None
