"""Where a key may be used from and how often; and what is written down of one that is over."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.access import key_cache
from apps.access.actions.issue_key import issue_key
from apps.access.actions.limit_key import limit_key
from apps.access.actions.roll_key import roll_key
from apps.access.models import ApiKey
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core import rates
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.api.helpers import BAD_KEY, assert_problem, call, get, post
from tests.factories import make_agent, make_key, make_project, setup_actor, user_actor
from tests.live import run_server
from tests.routes import api_rows


@pytest.fixture(autouse=True)
def nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(rates, "_away_until", 0.0)


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def ask(text: str, **environ: str) -> HttpResponse:
    return Client().get("/public/v1/auth/check", headers={"X-API-Key": text}, **environ)


def denials(project: Project) -> list[tuple[str, str, str, str]]:
    with bind(project.id):
        found = AuditEvent.objects.filter(result="denied").order_by("seq")
        return list(found.values_list("verb", "actor_id", "object_type", "reason"))


# --- how often -------------------------------------------------------------------------------------------------------


def test_beyond_the_limit_it_is_429_with_the_time_to_come_back(project: Project) -> None:
    _, text = make_key(project, ["facts:read"], rate_per_minute=3)
    _, other = make_key(project, ["facts:read"], rate_per_minute=3)
    assert [get("memory/facts", text, agent_id="support").status_code for _ in range(3)] == [200] * 3
    for path in ("memory/facts", "auth/check", "facts"):
        refused = get(path, text, agent_id="support")
        assert_problem(refused, 429, "rate_limited", "This key may ask 3 times a minute.")
        assert 1 <= int(refused["Retry-After"]) <= 60
    assert get("auth/check", other).status_code == 200
    assert denials(project) == []


def test_every_route_counts_but_the_one_that_ends_the_key(project: Project) -> None:
    for path, route in api_rows():
        _, text = make_key(project, route.scopes, rate_per_minute=1)
        assert get("auth/check", text).status_code == 200
        answer = call(route.method, path, text, {} if route.method == "POST" else None)
        if path == "keys/revoke":
            assert answer.status_code == 200
        else:
            assert_problem(answer, 429, "rate_limited")


def test_a_key_without_limits_asks_redis_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_client", lambda: pytest.fail("Redis was asked"))
    monkeypatch.setattr("apps.api.auth.client_address", lambda meta: pytest.fail("the address was looked at"))
    key, text = make_key(project, ["facts:read"])
    ApiKey.objects.filter(id=key.id).update(last_used_at=now())
    with CaptureQueriesContext(connection) as queries:
        assert [get("auth/check", text).status_code for _ in range(3)] == [200] * 3
    assert len(queries) == 1


def test_two_web_processes_share_one_limit(fresh_db: str, tmp_path: Path) -> None:
    _, text = make_key(make_project("acme"), rate_per_minute=30)
    servers = []
    try:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            servers.append(run_server(fresh_db, tmp_path / name))
        with httpx.Client(timeout=10, headers={"X-API-Key": text}) as client, ThreadPoolExecutor(8) as pool:
            urls = [f"{servers[number % 2].url}/v1/auth/check" for number in range(80)]
            statuses = Counter(answer.status_code for answer in pool.map(client.get, urls))
            refused = client.get(urls[0])
        assert statuses == {200: 30, 429: 50}
        assert refused.status_code == 429 and 1 <= int(refused.headers["Retry-After"]) <= 60
    finally:
        for server in servers:
            server.stop()


def test_with_redis_away_agents_are_told_all_the_same(project: Project, settings: Any) -> None:
    _, text = make_key(project, ["facts:read"], rate_per_minute=1)
    settings.CACHES = {
        "default": {"BACKEND": "apps.core.redis_cache.RedisCache", "LOCATION": "unix:///nowhere/redis.sock"}
    }
    assert [get("memory/facts", text, agent_id="support").status_code for _ in range(5)] == [200] * 5


# --- from where ------------------------------------------------------------------------------------------------------


def test_from_elsewhere_it_is_403_and_recorded(project: Project) -> None:
    key, text = make_key(project, ["facts:read"], ip_allow=["10.1.0.0/16", "2001:db8::/32"], rate_per_minute=2)
    for address in ("10.1.2.3", "2001:db8::7", "::ffff:10.1.2.3"):
        cache.clear()
        assert ask(text, REMOTE_ADDR=address).status_code == 200, address
    cache.clear()
    for address in ("10.2.2.3", "2001:db9::7", "", "unix"):
        refused = ask(text, REMOTE_ADDR=address)
        assert_problem(refused, 403, "not_allowed", "This key may not be used from this address.")
    # What it says of itself is not believed.
    assert ask(text, REMOTE_ADDR="10.2.2.3", HTTP_X_FORWARDED_FOR="10.1.2.3").status_code == 403
    assert denials(project) == [("keys.use", str(key.id), "policy", "")] * 5
    # Nor does whoever asks from elsewhere use up what the others may ask.
    assert [ask(text, REMOTE_ADDR="10.1.2.3").status_code for _ in range(2)] == [200, 200]


def test_behind_a_proxy_it_is_whom_the_proxy_saw(project: Project, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    _, text = make_key(project, ip_allow=["10.1.0.0/16"])
    assert ask(text, REMOTE_ADDR="172.17.0.2", HTTP_X_FORWARDED_FOR="8.8.8.8, 10.1.2.3").status_code == 200
    for said in ("10.1.2.3, 8.8.8.8", "", "10.1.2.3,"):
        assert ask(text, REMOTE_ADDR="10.1.9.9", HTTP_X_FORWARDED_FOR=said).status_code == 403, said


def test_a_key_ends_itself_from_anywhere(project: Project) -> None:
    key, text = make_key(project, ip_allow=[])
    assert ask(text).status_code == 403
    assert post("keys/revoke", text, {}).status_code == 200
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert_problem(ask(text), 401, "invalid_key", BAD_KEY)


def test_the_network_of_its_last_use_is_noted(project: Project) -> None:
    key, text = make_key(project)
    ask(text, REMOTE_ADDR="192.0.2.77")
    key.refresh_from_db()
    assert key.last_ip_class == "192.0.2.0/24"


# --- setting them ----------------------------------------------------------------------------------------------------


def test_limits_are_set_and_recorded_once(project: Project) -> None:
    key, text = make_key(project)
    admin = user_actor(project, "admin")
    assert get("auth/check", text).status_code == 200
    for _ in range(2):
        limit_key(
            actor=admin, project_id=project.id, key_id=key.id, rate_per_minute=2, ip_allow=["127.0.0.1", "127.0.0.1/32"]
        )
    key.refresh_from_db()
    assert (key.rate_per_minute, key.ip_allow) == (2, ["127.0.0.1/32"])
    assert [get("auth/check", text).status_code for _ in range(3)] == [200, 200, 429]
    limit_key(actor=admin, project_id=project.id, key_id=key.id, rate_per_minute=None, ip_allow=[])
    assert get("auth/check", text).status_code == 403
    with bind(project.id):
        events = AuditEvent.objects.filter(verb="keys.limit").order_by("seq")
        assert list(events.values_list("actor_id", "object_id", "data")) == [
            (
                admin.id,
                str(key.id),
                {"a_minute": {"before": None, "after": 2}, "networks": {"before": None, "after": 1}},
            ),
            (admin.id, str(key.id), {"a_minute": {"before": 2, "after": None}, "networks": {"before": 1, "after": 0}}),
        ]


@pytest.mark.parametrize(
    ("limits", "pointer"),
    [
        ({"rate_per_minute": 0}, "/rate_per_minute"),
        ({"rate_per_minute": -1}, "/rate_per_minute"),
        ({"rate_per_minute": 100_001}, "/rate_per_minute"),
        ({"ip_allow": ["10.1.2.3/16"]}, "/ip_allow"),
        ({"ip_allow": ["example.com"]}, "/ip_allow"),
        ({"ip_allow": [""]}, "/ip_allow"),
        ({"ip_allow": [f"10.0.0.{n}" for n in range(51)]}, "/ip_allow"),
    ],
)
def test_what_is_no_limit(project: Project, limits: dict[str, Any], pointer: str) -> None:
    key, _ = make_key(project)
    with pytest.raises(Invalid) as refused:
        issue_key(actor=setup_actor(project), project_id=project.id, name="bot", scopes=["facts:read"], **limits)
    assert [error.pointer for error in refused.value.errors] == [pointer]
    with pytest.raises(Invalid) as refused:
        wanted = {"rate_per_minute": None, "ip_allow": None} | limits
        limit_key(actor=setup_actor(project), project_id=project.id, key_id=key.id, **wanted)
    assert [error.pointer for error in refused.value.errors] == [pointer]
    key.refresh_from_db()
    assert ApiKey.objects.count() == 1 and (key.rate_per_minute, key.ip_allow) == (None, None)


def test_whose_and_which_keys_can_be_limited(project: Project) -> None:
    wanted: dict[str, Any] = {"rate_per_minute": 1, "ip_allow": None}
    key, _ = make_key(project)
    for role in ("viewer", "curator", "privacy_officer", "auditor"):
        with pytest.raises(Refused):
            limit_key(actor=user_actor(project, role), project_id=project.id, key_id=key.id, **wanted)
    foreign, _ = make_key(make_project("globex"))
    admin = user_actor(project, "admin")
    with pytest.raises(NotFound):
        limit_key(actor=admin, project_id=project.id, key_id=foreign.id, **wanted)
    for over in (make_key(project, expired=True)[0], make_key(project, revoked=True)[0]):
        with pytest.raises(Conflict):
            limit_key(actor=admin, project_id=project.id, key_id=over.id, **wanted)
    assert not ApiKey.objects.exclude(rate_per_minute=None).exists()


def test_a_successor_has_the_limits_of_the_old_key(project: Project) -> None:
    old, _ = make_key(project, rate_per_minute=7, ip_allow=["10.0.0.0/8"], categories=["policy"], purposes=["support"])
    new, _ = roll_key(
        actor=user_actor(project, "admin"), project_id=project.id, key_id=old.id, overlap=timedelta(days=1)
    )
    new.refresh_from_db()
    grants = ("scopes", "agents", "categories", "purposes", "sensitivity_ceiling", "write_mode", "rate_per_minute")
    for name in (*grants, "ip_allow", "environment"):
        assert getattr(new, name) == getattr(old, name), name


def test_by_command(project: Project) -> None:
    out = StringIO()
    options = {"rate": "5", "networks": "10.0.0.0/8, 127.0.0.1", "categories": "policy", "purposes": "a,b", "days": 7}
    call_command("key", project="acme", stdout=out, **options)
    key = ApiKey.objects.get()
    assert (key.rate_per_minute, key.ip_allow) == (5, ["10.0.0.0/8", "127.0.0.1/32"])
    assert (key.categories, key.purposes) == (["policy"], ["a", "b"])
    assert timedelta(days=6) < key.expires_at - now() <= timedelta(days=7)
    text = out.getvalue().strip().partition("=")[2]
    assert get("auth/check", text).status_code == 200
    out = StringIO()
    call_command("key", change=str(key), rate="none", stdout=out)
    assert out.getvalue() == f"{key}: no limit, from 10.0.0.0/8, 127.0.0.1/32\n"
    call_command("key", change=str(key), rate="9", networks="anywhere", stdout=out)
    key.refresh_from_db()
    assert (key.rate_per_minute, key.ip_allow) == (9, None)
    for wrong in ({"rate": "many"}, {"rate": "0"}, {"networks": "nonsense"}):
        with pytest.raises(CommandError):
            call_command("key", change=str(key), **wrong)
    with pytest.raises(CommandError, match="no such key"):
        call_command("key", change="mp_00000000", rate="1")
    with pytest.raises(CommandError, match="365 days"):
        call_command("key", project="acme", days=366)
    key.refresh_from_db()
    assert (key.rate_per_minute, key.ip_allow, ApiKey.objects.count()) == (9, None, 1)


# --- after its end ---------------------------------------------------------------------------------------------------


def test_use_after_the_end_is_recorded_once_a_minute(project: Project) -> None:
    old, text = make_key(project)
    roll_key(actor=user_actor(project, "admin"), project_id=project.id, key_id=old.id, overlap=timedelta(hours=1))
    assert get("auth/check", text).status_code == 200
    ApiKey.objects.filter(id=old.id).update(created_at=now() - timedelta(days=2), expires_at=now() - timedelta(days=1))
    key_cache.drop(old.id)
    before = json.loads(get("auth/check", "mp_nonsense").content)
    for _ in range(3):
        answer = get("auth/check", text)
        assert_problem(answer, 401, "invalid_key", BAD_KEY)
        document = json.loads(answer.content)
        assert {**document, "instance": ""} == {**before, "instance": ""}
    assert denials(project) == [("keys.use", str(old.id), "key", "expired")]
    old.refresh_from_db()
    assert old.refused_at is not None
    ApiKey.objects.filter(id=old.id).update(refused_at=now() - timedelta(minutes=2))
    get("auth/check", text)
    assert len(denials(project)) == 2
    leaked, text = make_key(project, revoked=True)
    get("auth/check", text)
    assert denials(project)[2:] == [("keys.use", str(leaked.id), "key", "leaked")]


def test_a_secret_that_does_not_fit_is_nobodys_use(project: Project) -> None:
    key, text = make_key(project, revoked=True)
    ApiKey.objects.filter(id=key.id).update(secret_hash=b"\x01" * 32)
    assert_problem(get("auth/check", text), 401, "invalid_key", BAD_KEY)
    assert denials(project) == []
