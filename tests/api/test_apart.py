"""The API's own way through Django, by the test's client and over real HTTP: the same headers, and no page's machinery."""

import re

import httpx
import pytest
from django.test import Client

from apps.api.middleware import HEADERS
from apps.tenancy.models import Agent, Project
from tests.api.helpers import get, told
from tests.factories import make_fact, make_key
from tests.live import Live

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
PATHS = ["auth/check", "memory/facts", "nothing", "traces/ingest"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers(project: Project, path: str) -> None:
    for key in (None, make_key(project)[1]):
        response = get(path, key)
        assert {name: response[name] for name in HEADERS} == HEADERS
        assert UUID7.fullmatch(response["X-Request-ID"])
        assert response["Cache-Control"] == "no-store"
        assert response["Content-Length"] == str(len(response.content))
        assert "Strict-Transport-Security" not in response
        assert not response.cookies


def test_a_page_still_has_its_own(db: None) -> None:
    response = Client().get("/accounts/login/")
    assert response["X-Frame-Options"] == "DENY" and "'self'" in response["Content-Security-Policy"]
    assert UUID7.fullmatch(response["X-Request-ID"])


def test_strict_transport_where_the_installation_has_https(
    project: Project, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000  # type: ignore[attr-defined]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # type: ignore[attr-defined]
    assert "Strict-Transport-Security" not in get("auth/check")
    secure = get("auth/check", headers={"X-Forwarded-Proto": "https"})
    assert secure["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"


def test_over_http_it_is_the_same(project: Project, agent: Agent, server: Live) -> None:
    make_fact(project, "Größe zählt.", agent=agent)
    _, key = make_key(project, ["facts:read"])
    with httpx.Client(base_url=f"{server.url}/public/v1", timeout=20) as client:
        for path, sent, status in (
            ("/memory/facts?agent_id=support", {"X-API-Key": key}, 200),
            ("/memory/facts", {"X-API-Key": key}, 422),
            ("/memory/facts?agent_id=support", {}, 401),
            ("/nothing", {}, 404),
            ("/auth/check", {"X-API-Key": key, "Host": "evil.example"}, 400),
        ):
            response = client.get(path, headers={**sent, "X-Request-ID": "my-request-0001"})
            assert response.status_code == status
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
            assert response.headers["X-Request-ID"] == "my-request-0001"
            assert response.headers["Cache-Control"] == "no-store"
            assert response.headers["Content-Length"] == str(len(response.content))
            assert "set-cookie" not in response.headers
        answer = client.get("/memory/facts?agent_id=support", headers={"X-API-Key": key})
        assert [fact["content"] for fact in answer.json()["facts"]] == ["Größe zählt."]
        assert answer.content == get("memory/facts", key, agent_id="support").content
    assert told(get("memory/facts", key, agent_id="support")) == ["Größe zählt."]
