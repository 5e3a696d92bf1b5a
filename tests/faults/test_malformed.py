"""A flood of malformed requests over real HTTP: the 46 kinds, mutated. No 5xx, no growth; what is too large or too slow costs
next to nothing.

500 requests; 10,000 in `make faults`.
"""

import gzip
import random
import select
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from apps.access.scopes import SCOPES
from memoryplane import httpd
from tests.api.bad import Sent, rows, taken
from tests.api.world import Stage, staged
from tests.factories import make_key
from tests.faults.scale import WHOLE, report, scaled
from tests.live import Live

REQUESTS = scaled("REQUESTS", 500, 10_000)
MOST_GROWTH = 50 * 1024
"""Resident memory, in kB."""
SOME = [
    "",
    "\x00",
    "\ud7ff",
    "*",
    "'",
    "%00",
    "{}",
    "[]",
    "null",
    "-1",
    "9" * 400,
    "../..",
    "🇵🇹",
    "\u202e",
    "a" * 3_000,
]


def memory(server: Live, line: str = "VmRSS") -> int:
    """kB of the web process."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(row.split()[1]) for row in text.splitlines() if row.startswith(f"{line}:"))


def forget_peak(server: Live) -> None:
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")


@pytest.fixture
def stage(server: Live) -> Iterator[Stage]:
    with httpx.Client(base_url=f"{server.url}/v1/", timeout=60) as client:
        yield staged(client, server)


def mutated(sent: Sent, chance: random.Random) -> Sent:
    """The same request with something moved in it, or as it is."""
    body, params = sent.body, list(sent.params)
    if body and chance.random() < 0.7:
        at, length = chance.randrange(len(body)), chance.choice([0, 1, 3, 20])
        put = chance.choice(
            [b"", bytes([chance.randrange(256)]), body[at : at + 30], b'"', b"\\u0000", b"{", b"]", b"1e999"]
        )
        body = body[:at] + put + body[at + length :]
    if params and chance.random() < 0.7:
        at = chance.randrange(len(params))
        params[at] = (params[at][0], chance.choice(SOME))
    elif not body and chance.random() < 0.3:
        names = [
            "limit",
            "cursor",
            "agent_id",
            "scope",
            "scope_id",
            "q",
            "user_id",
            "at",
            "order",
            "all",
            "key",
            "label",
        ]
        params.append((chance.choice(names), chance.choice(SOME)))
    path = sent.path
    if chance.random() < 0.05:
        path = chance.choice([f"{path}/", f"{path}/..", f"/{path}", path.upper(), f"{path}%00", f"{path};x"])
    method = chance.choice(["GET", "POST", "PUT", "PATCH", "DELETE"]) if chance.random() < 0.05 else sent.method
    return replace(sent, method=method, path=path, body=body, params=tuple(params))


def test_a_flood_of_malformed_requests(stage: Stage) -> None:
    chance, statuses, kinds = random.Random(9), Counter[int](), Counter[int]()
    kept = [(row.kind, row.sent) for row in rows()] + taken()
    # 10 MB bodies are sent as they are below; here one in each round is enough.
    small = [each for each in kept if len(each[1].body) < 1_000_000]
    seconds, bad, before = list[float](), list[str](), 0
    for number in range(REQUESTS):
        if number == REQUESTS // 5:
            before = memory(stage.server)  # by now every path was asked, and every pool is filled
        if number % 100 == 0:
            stage.keys["direct"] = make_key(stage.project, SCOPES, write_mode="direct")[1]
        kind, sent = chance.choice(small) if number >= len(small) else small[number * 7919 % len(small)]
        asked = mutated(sent, chance)
        start = time.perf_counter()
        try:
            answer = stage.send(asked)
        except httpx.InvalidURL:
            continue
        seconds.append(time.perf_counter() - start)
        statuses[answer.status_code] += 1
        kinds[kind] += 1
        if answer.status_code >= 500:
            bad.append(f"{answer.status_code} {asked.method} {asked.path} {asked.params} {asked.body[:200]!r}")
    grown = memory(stage.server) - before
    slow = sorted(seconds)[int(len(seconds) * 0.99)]
    report(
        "malformed requests",
        sent=sum(statuses.values()),
        kinds=len(kinds),
        answered_5xx=len(bad),
        memory_in_MB=f"{grown / 1024:+.1f} (≤ 50)",
        p99_in_ms=round(slow * 1000),
        statuses=dict(sorted(statuses.items())),
    )
    assert bad == []
    assert grown <= MOST_GROWTH
    assert len(kinds) >= 43
    assert "Traceback" not in stage.server.said() and "defect" not in stage.server.said()


def connected(server: Live) -> socket.socket:
    host = urlsplit(server.url)
    return socket.create_connection((host.hostname or "", host.port or 0), timeout=30)


def head(stage: Stage, path: str, *lines: str) -> bytes:
    key = stage.keys["direct"]
    named = [f"POST /v1/{path} HTTP/1.1", "Host: localhost", f"X-API-Key: {key}", *lines, "", ""]
    return "\r\n".join(named).encode()


def pour(stage: Stage, begin: bytes, piece: bytes, most: int) -> tuple[int, bytes]:
    """Send ``piece`` over and over until the server answers; bytes that went out, and the first line of the answer."""
    with connected(stage.server) as wire:
        wire.sendall(begin)
        sent = 0
        while sent < most:
            readable, writable, _ = select.select([wire], [wire], [], 30)
            if readable or not writable:
                break
            try:
                sent += wire.send(piece)
            except (BrokenPipeError, ConnectionResetError):
                break
        answer = wire.recv(65_536)
    return sent, answer.split(b"\r\n")[0]


@pytest.mark.parametrize("path", ["facts", "traces/ingest", "traces"])
def test_a_body_of_100_mb_is_refused_by_its_length(stage: Stage, path: str) -> None:
    """However fast the client writes: what it got rid of before it hears the answer is what fits into the sockets."""
    before = memory(stage.server)
    forget_peak(stage.server)
    length = 100 * 1024 * 1024
    begin = head(stage, path, "Content-Type: application/json", f"Content-Length: {length}")
    sent, answer = pour(stage, begin, b"x" * 65_536, length)
    peak = memory(stage.server, "VmHWM") - before
    report(f"100 MB to {path}", refused_after_MB=f"{sent / 1024 / 1024:.1f}", peak_in_MB=f"{peak / 1024:+.1f}")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert sent <= 16 * 1024 * 1024 and peak <= 64 * 1024


def test_chunks_without_an_end_are_read_no_further_than_a_body_may_be_long(stage: Stage) -> None:
    before = memory(stage.server)
    forget_peak(stage.server)
    begin = head(stage, "traces/ingest", "Content-Type: application/json", "Transfer-Encoding: chunked")
    piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    sent, answer = pour(stage, begin, piece, 200 * 1024 * 1024)
    peak = memory(stage.server, "VmHWM") - before
    report("endless chunks", refused_after_MB=f"{sent / 1024 / 1024:.1f}", peak_in_MB=f"{peak / 1024:+.1f}")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert sent <= 48 * 1024 * 1024 and peak <= 64 * 1024


@pytest.mark.parametrize("kind", ["application/json", "application/x-protobuf"])
def test_a_gzip_bomb_is_unpacked_no_further_than_a_body_may_be_long(stage: Stage, kind: str) -> None:
    member = gzip.compress(bytes(64 * 1024 * 1024), 9)
    members = scaled("MEMBERS", 16, 160)
    bomb = member * members
    before = memory(stage.server)
    forget_peak(stage.server)
    headers = {"X-API-Key": stage.keys["direct"], "Content-Type": kind, "Content-Encoding": "gzip"}
    answer = stage.client.post("traces", content=bomb, headers=headers)
    peak = memory(stage.server, "VmHWM") - before
    report(f"gzip bomb as {kind}", kB=len(bomb) // 1024, inflates_to_GB=members // 16, peak_in_MB=f"{peak / 1024:+.1f}")
    assert answer.status_code == 413
    assert peak <= 64 * 1024
    for path in ("facts", "traces/ingest"):
        assert stage.client.post(path, content=bomb, headers=headers).status_code == 415


@pytest.mark.skipif(not WHOLE, reason="tests/running/test_web.py has the short form")
def test_heads_that_never_end_keep_nobody_out(stage: Stage) -> None:
    """More slow connections than threads; each is let go once its time is over, and the others are answered meanwhile."""
    many = 64
    with ExitStack() as stack:
        slow = [stack.enter_context(connected(stage.server)) for _ in range(many)]
        for wire in slow:
            wire.sendall(b"GET /v1/auth/check HTTP/1.1\r\nHost: local")
        answered = 0
        for _ in range(20):
            answered += stage.send(Sent("GET", "auth/check")).status_code == 200
            for wire in slow:
                wire.sendall(b"x")
        let_go, end = 0, time.monotonic() + httpd.HEAD_SECONDS + 20
        waiting = list(slow)
        while waiting and time.monotonic() < end:
            readable, _, _ = select.select(waiting, [], [], 1)
            let_go += len(readable)
            waiting = [wire for wire in waiting if wire not in readable]
    report("heads that never end", connections=many, answered_beside_them=f"{answered} of 20", let_go=let_go)
    assert (answered, let_go) == (20, many)
