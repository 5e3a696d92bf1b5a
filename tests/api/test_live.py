"""Over real HTTP: many at once, odd requests that only a socket can send, and a database that goes away."""

import http.client
import json
import re
import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.db import connections

from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.audit.queries import verify_chain
from apps.core.transactions import bind
from apps.tenancy.models import Agent, Project
from apps.traces.models import Message, Span, Trace
from tests.api.helpers import make_span
from tests.factories import make_fact, make_key
from tests.live import Live, run_server
from tests.routes import API
from tests.servers import database_urls, execute

CALLERS = 5


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, SCOPES)[1]


def at_once(act: Callable[[int], httpx.Response]) -> list[httpx.Response]:
    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(act, range(CALLERS)))


def post(server: Live, path: str, key: str, body: Any) -> httpx.Response:
    return httpx.post(f"{server.url}/public/v1/{path}", json=body, headers={"X-API-Key": key}, timeout=60)


def test_one_batch_sent_five_times_at_once_is_stored_once(
    project: Project, agent: Agent, key: str, server: Live
) -> None:
    batch = {"project": "acme", "spans": [make_span(1 + number % 7) for number in range(200)]}
    answers = at_once(lambda _: post(server, "traces/ingest", key, batch))
    for answer in answers:
        assert answer.status_code == (201 if answer.json()["ingested"] else 200)
        assert answer.json() == {**answer.json(), "dropped": {}, "replaced_characters": 0, "differing": 0}
    assert sum(answer.json()["ingested"] for answer in answers) == 200
    with bind(project.id):
        assert Span.objects.count() == 200
        assert Message.objects.count() == 400
        spans = Trace.objects.order_by("trace_id").values_list("agent_id", "span_count")
        assert list(spans) == [(agent.id, 29)] * 4 + [(agent.id, 28)] * 3
        assert verify_chain(project.id).broken_at is None


def test_batches_that_share_traces_in_any_order_do_not_meet_in_a_deadlock(
    project: Project, key: str, server: Live
) -> None:
    spans = [make_span(1 + number % 20) for number in range(300)]
    mixed = [spans[n::CALLERS][:: 1 if n % 2 else -1] + spans[:40] for n in range(CALLERS)]
    answers = at_once(lambda n: post(server, "traces/ingest", key, {"spans": mixed[n]}))
    assert {answer.status_code for answer in answers} == {201}
    with bind(project.id):
        assert Span.objects.count() == 300
        assert sum(Trace.objects.values_list("span_count", flat=True)) == 300


def test_one_agent_registered_five_times_at_once_is_one(project: Project, key: str, server: Live) -> None:
    answers = at_once(lambda _: post(server, "sdk/agents", key, {"name": "support", "system_prompt": "Be kind."}))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: CALLERS - 1}
    with bind(project.id):
        agent = Agent.objects.get()
    expected = {"id": str(agent.id), "name": "support", "version": 1, "project_id": "acme"}
    assert [answer.json() for answer in answers] == [expected] * CALLERS


def test_a_key_revoked_five_times_at_once_is_revoked_once(project: Project, key: str, server: Live) -> None:
    answers = at_once(lambda _: post(server, "keys/revoke", key, {}))
    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} <= {200, 401}
    assert good == [good[0]] * len(good)
    with bind(project.id):
        assert AuditEvent.objects.filter(verb="keys.revoke_own").count() == 1


def raw(server: Live, request: bytes, wait: float = 10) -> tuple[int, dict[str, str], bytes]:
    """What comes back on a socket for exactly these bytes: status, headers, body."""
    host = urlsplit(server.url)
    with socket.create_connection((host.hostname or "", host.port or 0), timeout=wait) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def problem(answer: tuple[int, dict[str, str], bytes]) -> tuple[int, str]:
    status, headers, body = answer
    assert headers["content-type"] == "application/problem+json"
    return status, json.loads(body)["type"].rpartition(":")[2]


def test_requests_that_only_a_socket_can_send(project: Project, agent: Agent, key: str, server: Live) -> None:
    make_fact(project, "Refunds take five days.")
    start = time.monotonic()

    def request(line: str, *headers: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        head = "".join(f"{text}\r\n" for text in (f"{line} HTTP/1.1", "Host: localhost", *headers))
        return raw(server, head.encode() + b"\r\n" + body)

    mine, json_type = f"X-API-Key: {key}", "Content-Type: application/json"
    facts = "/public/v1/memory/facts?agent_id=support"
    ingest = "POST /public/v1/traces/ingest"

    # A question as long as an SDK's client sends: httpx refuses a longer URL than 64 kB.
    status, headers, body = request(f"GET {facts}&query={'refunds+' * 8_000}", mine)
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert [fact["content"] for fact in json.loads(body)["facts"]] == ["Refunds take five days."]
    assert "set-cookie" not in headers and "location" not in headers

    other = make_key(project)[1]
    for one, two in ((mine, f"X-API-Key: {other}"), (f"Authorization: Bearer {key}", f"Authorization: Bearer {other}")):
        assert problem(request(f"GET {facts}", one, two))[0] in {400, 401}
    assert problem(request(f"GET {facts}", mine, f"Authorization: Bearer {other}")) == (400, "two_keys")

    # A body in chunks, one with too great a length (not sent at all), and a small one that would inflate.
    chunks = b"b\r\n" + b'{"spans":[]}'[:11] + b"\r\n1\r\n}\r\n0\r\n\r\n"
    status, _, body = request(ingest, mine, json_type, "Transfer-Encoding: chunked", body=chunks)
    assert (status, json.loads(body)["ingested"]) == (200, 0)
    for length in (33_554_433, 100_000_000, 10**15):
        answer = request(ingest, mine, json_type, f"Content-Length: {length}")
        assert problem(answer) == (413, "body_too_large")
    bomb = request(ingest, mine, json_type, "Content-Encoding: gzip", "Content-Length: 4", body=b"\x1f\x8b\x08\x00")
    assert problem(bomb) == (415, "content_encoding")
    assert problem(request("POST /v1/keys/revoke", mine, json_type, "Content-Length: 0")) == (400, "empty_body")
    assert problem(request("POST /v1/keys/revoke", mine, json_type)) == (400, "empty_body")

    assert problem(request(f"GET {facts}", "X-API-Key: mp_" + "a" * 65_000)) == (401, "invalid_key")
    assert problem(request("GET /public/v1/auth/check/", mine)) == (404, "not_found")
    assert problem(request("GET /public/v1//auth/check", mine)) == (404, "not_found")
    assert time.monotonic() - start < 20
    assert "Traceback" not in server.said()


def test_without_a_database_every_path_answers_503(fresh_db: str, tmp_path: Path) -> None:
    nowhere = {name: url.replace("port=", "port=1") for name, url in database_urls(fresh_db).items()}
    server = run_server(fresh_db, tmp_path, **nowhere)
    try:
        for prefix in ("/public/v1/", "/v1/"):
            for path, route in API.items():
                url = server.url + prefix + re.sub(r"<\w+:\w+>", "1", path)
                answer = httpx.request(route.method, url, headers={"X-API-Key": "x"}, timeout=30)
                assert_unavailable(answer)
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert "Traceback" not in server.said()
    finally:
        server.stop()


def test_a_database_that_dies_and_comes_back(
    project: Project, agent: Agent, key: str, fresh_db: str, server: Live
) -> None:
    def read() -> httpx.Response:
        url = f"{server.url}/public/v1/memory/facts"
        return httpx.get(url, params={"agent_id": "support"}, headers={"X-API-Key": key}, timeout=30)

    make_fact(project, "Refunds take five days.")
    before = read()
    assert [fact["content"] for fact in before.json()["facts"]] == ["Refunds take five days."]
    connections.close_all()
    execute("ALTER DATABASE {} ALLOW_CONNECTIONS false", fresh_db)
    try:
        with psycopg.connect(database_urls("postgres")["DATABASE_APP_URL"]) as application:
            killed = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = current_user"
            )
            assert application.execute(killed, [fresh_db]).fetchall()
        for _ in range(6):
            assert_unavailable(read())
    finally:
        execute("ALTER DATABASE {} ALLOW_CONNECTIONS true", fresh_db)
    # The same process, without a restart.
    after = read()
    assert (after.status_code, after.content) == (200, before.content)


def test_a_lock_held_by_somebody_is_a_503_and_not_a_hang(
    project: Project, agent: Agent, key: str, fresh_db: str, server: Live
) -> None:
    with psycopg.connect(database_urls(fresh_db)["DATABASE_URL"]) as holder:
        holder.execute("LOCK TABLE facts_fact")
        start = time.monotonic()
        answer = httpx.get(
            f"{server.url}/v1/memory/facts", params={"agent_id": "support"}, headers={"X-API-Key": key}, timeout=30
        )
        assert_unavailable(answer)
        assert 4 < time.monotonic() - start < 10
        holder.rollback()


def assert_unavailable(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:memoryplane:problem:unavailable",
        "title": "Unavailable",
        "status": 503,
        "detail": "The service can't answer now.",
        "instance": answer.headers["X-Request-ID"],
    }
