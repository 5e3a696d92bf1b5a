"""The web server under requests that are long, half sent, too large or never read, and its end in order."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from apps.access.scopes import SCOPES
from apps.tenancy.models import Agent, Project
from memoryplane.httpd import BODY_BYTES, HEAD_BYTES, STALL_SECONDS, THREADS, Channel, listen
from tests.factories import make_agent, make_fact, make_key, make_project
from tests.live import Live
from tests.servers import ROOT, database_urls

FACTS = "/public/v1/memory/facts?agent_id=support"
INGEST = "/public/v1/traces/ingest"


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project("acme")


@pytest.fixture
def agent(project: Project) -> Agent:
    return make_agent(project, "support")


@pytest.fixture
def key(project: Project) -> str:
    return make_key(project, SCOPES)[1]


@pytest.fixture
def dial(server: Live) -> Iterator[Callable[[bytes], socket.socket]]:
    """Connections that have sent these bytes, closed after the test."""
    address = urlsplit(server.url)
    with ExitStack() as stack:

        def start(sent: bytes) -> socket.socket:
            connection = stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=40))
            connection.sendall(sent)
            return connection

        yield start


def head(line: str, *headers: str) -> bytes:
    return "".join(f"{text}\r\n" for text in (f"{line} HTTP/1.1", "Host: localhost", *headers, "")).encode()


def answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def read(server: Live, key: str, timeout: float = 10) -> list[str]:
    got = httpx.get(server.url + FACTS, headers={"X-API-Key": key}, timeout=timeout)
    assert got.status_code == 200
    return [fact["content"] for fact in got.json()["facts"]]


def test_a_request_line_of_128_kb_is_answered_by_what_its_first_words_ask(
    project: Project, agent: Agent, key: str, dial: Callable[[bytes], socket.socket]
) -> None:
    make_fact(project, "Refunds take five days.")
    make_fact(project, "The warehouse closes at four.")
    # The word that matters ends within the first 8,000 characters; then 100 kB of others, percent-encoded in part.
    query = "when+does+the+warehouse+close+" + "%C3%A9t%C3%A9+" * 8_000
    line = f"GET {FACTS}&limit=1&query={query}"
    line += "a" * (128 * 1024 - len(line) - len(" HTTP/1.1"))
    status, headers, body = answer(dial(head(line, f"X-API-Key: {key}")))
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert [fact["content"] for fact in json.loads(body)["facts"]] == ["The warehouse closes at four."]


def test_a_head_over_the_limit_is_refused_with_a_reason(key: str, dial: Callable[[bytes], socket.socket]) -> None:
    start = time.monotonic()
    for end in (b"\r\n\r\n", b""):  # whole, and without an end
        connection = dial(head(f"GET {FACTS}", f"X-API-Key: {key}").removesuffix(b"\r\n") + b"X-Long: ")
        connection.sendall(b"a" * HEAD_BYTES + end)
        status, headers, body = answer(connection)
        assert (status, headers["content-type"], headers["connection"]) == (431, "application/problem+json", "close")
        assert json.loads(body) == {
            "type": "urn:memoryplane:problem:head_too_large",
            "title": "Head too large",
            "status": 431,
            "detail": "The request line and the headers are over the limit of 160 kB.",
            "instance": headers["x-request-id"],
        }
    assert time.monotonic() - start < 10


def test_half_sent_requests_and_silent_connections_hold_no_thread(
    project: Project, agent: Agent, key: str, server: Live, dial: Callable[[bytes], socket.socket]
) -> None:
    make_fact(project, "Refunds take five days.")
    mine = (f"X-API-Key: {key}", "Content-Type: application/json")
    for n in range(4 * THREADS):
        dial(head(f"POST {INGEST}", *mine, "Content-Length: 1000") + b'{"spans":[')
        dial(head(f"POST {INGEST}", *mine, "Transfer-Encoding: chunked") + b'a\r\n{"spans":[')
        dial(head(f"GET {FACTS}", *mine)[: 40 + n])
        dial(b"")
    start = time.monotonic()
    assert [read(server, key) for _ in range(5)] == [["Refunds take five days."]] * 5
    assert time.monotonic() - start < 10


def test_what_is_never_finished_is_dropped(key: str, dial: Callable[[bytes], socket.socket]) -> None:
    mine = (f"X-API-Key: {key}", "Content-Type: application/json")
    waiting = {
        "nothing": dial(b""),
        "half a head": dial(head(f"GET {FACTS}", *mine)[:40]),
        "half a body": dial(head(f"POST {INGEST}", *mine, "Content-Length: 1000") + b"{"),
    }
    start = time.monotonic()
    ended = {}
    for name, connection in waiting.items():
        assert connection.recv(1) == b""
        ended[name] = time.monotonic() - start
    assert 8 < ended["nothing"] < 15 and 8 < ended["half a head"] < 15
    assert STALL_SECONDS - 2 < ended["half a body"] < STALL_SECONDS + 5


def test_bodies_of_the_largest_size_and_beyond_it(
    project: Project, key: str, server: Live, dial: Callable[[bytes], socket.socket]
) -> None:
    mine = {"X-API-Key": key, "Content-Type": "application/json"}

    def post(body: bytes, *, chunked: bool = False) -> tuple[int, str]:
        content = iter([body[:7], body[7:]]) if chunked else body
        got = httpx.post(server.url + INGEST, content=content, headers=mine, timeout=60)
        return got.status_code, got.json().get("type", "")

    largest = b'{"spans":[]}'.ljust(BODY_BYTES)
    assert post(largest) == (200, "")
    assert post(largest[:-1024], chunked=True) == (200, "")  # the chunks' own lines count too
    assert post(b'{"spans":[]}', chunked=True) == (200, "")
    too_large = (413, "urn:memoryplane:problem:body_too_large")
    status, _, body = answer(dial(head(f"POST {INGEST}", "Content-Length: 33554433")))
    assert (status, json.loads(body)["type"]) == too_large
    endless = dial(head(f"POST {INGEST}", "Transfer-Encoding: chunked") + b"%x\r\n" % (2 * BODY_BYTES))
    endless.sendall(b" " * (BODY_BYTES + 1))
    status, _, body = answer(endless)
    assert (status, json.loads(body)["type"]) == too_large


def test_one_connection_many_requests_and_no_body_for_head(
    project: Project, agent: Agent, key: str, dial: Callable[[bytes], socket.socket]
) -> None:
    make_fact(project, "Refunds take five days.")
    connection = dial(b"")
    for _ in range(3):
        connection.sendall(head(f"GET {FACTS}", f"X-API-Key: {key}"))
        assert answer(connection)[0] == 200
    connection.sendall(head("HEAD /healthz") + head(f"HEAD {FACTS}") + head("GET /healthz", "Connection: close"))
    said = b""
    while part := connection.recv(65536):
        said += part
    # After each head comes the next answer, and nothing of a body before it.
    first, second, third, body = said.split(b"\r\n\r\n")
    assert [one.partition(b"\r\n")[0] for one in (first, second, third)] == [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 405 Method Not Allowed",
        b"HTTP/1.1 200 OK",
    ]
    assert b"Content-Length: %d" % len(body) in first and body


def test_what_is_no_http_is_refused(server: Live, dial: Callable[[bytes], socket.socket]) -> None:
    for line in ("GET", "GET /\x01 HTTP/9", "GET / HTTP/1.1\r\nno colon", "\x16\x03\x01 x"):
        status, headers, body = answer(dial(f"{line}\r\n\r\n".encode()))
        assert (status, headers["content-type"]) == (400, "application/problem+json")
        assert json.loads(body)["type"] == "urn:memoryplane:problem:bad_request"
    assert "Traceback" not in server.said()


def test_clients_that_go_away_leave_nothing_behind(
    project: Project, agent: Agent, key: str, server: Live, dial: Callable[[bytes], socket.socket]
) -> None:
    make_fact(project, "Refunds take five days.")
    for _ in range(3 * THREADS):
        gone = dial(head(f"GET {FACTS}", f"X-API-Key: {key}"))
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close sends a reset
        gone.close()
    assert read(server, key) == ["Refunds take five days."]
    assert "Traceback" not in server.said()


def test_a_request_under_way_is_answered_before_the_end(
    project: Project, agent: Agent, key: str, server: Live, fresh_db: str, dial: Callable[[bytes], socket.socket]
) -> None:
    make_fact(project, "Refunds take five days.")
    assert read(server, key) == ["Refunds take five days."]
    idle = dial(b"")
    with psycopg.connect(database_urls(fresh_db)["DATABASE_URL"]) as holder:
        holder.execute("LOCK TABLE facts_fact")
        waiting = dial(head(f"GET {FACTS}", f"X-API-Key: {key}"))
        time.sleep(0.5)  # until the read waits for the lock
        server.process.send_signal(signal.SIGTERM)
        assert idle.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            dial(b"")
        holder.rollback()
    status, _, body = answer(waiting)
    assert (status, [fact["content"] for fact in json.loads(body)["facts"]]) == (200, ["Refunds take five days."])
    assert server.process.wait(5) == 0


def test_processes_share_one_socket_and_one_that_dies_is_no_refusal(fresh_db: str, tmp_path: Path) -> None:
    listener = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/healthz"
    with ExitStack() as stack:
        stack.callback(listener.close)

        def start() -> "subprocess.Popen[bytes]":
            process = subprocess.Popen(
                [sys.executable, "-m", "memoryplane.web", "--listener", str(listener.fileno())],
                cwd=ROOT,
                env={**os.environ, **database_urls(fresh_db)},
                pass_fds=[listener.fileno()],
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        first, second = start(), start()
        assert httpx.get(url, timeout=30).status_code == 200
        first.kill()
        first.wait()
        assert [httpx.get(url, timeout=30).status_code for _ in range(5)] == [200] * 5
        second.kill()
        second.wait()
        third = start()
        assert httpx.get(url, timeout=30).status_code == 200  # it waited in the socket's queue
        third.send_signal(signal.SIGTERM)
        assert third.wait(5) == 0


def test_a_port_in_use_is_said_and_not_shared() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            listen("127.0.0.1", port)


def test_a_reader_who_does_not_read_is_overdue_and_a_slow_application_is_not() -> None:
    channel = Channel.__new__(Channel)
    channel.request, channel.requests = None, ["one"]
    channel.last_activity, channel.total_outbufs_len = 1000.0, 0
    assert not channel.is_overdue(1000 + 10 * STALL_SECONDS)
    channel.total_outbufs_len = 5
    assert not channel.is_overdue(1000 + STALL_SECONDS) and channel.is_overdue(1001 + STALL_SECONDS)
