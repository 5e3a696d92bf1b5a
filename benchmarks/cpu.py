"""Python's CPU for one read of facts, our whole service beside others that answer the same from the same rows.

In one process, one request of each in turn, in all orders by turns; the median of the thread's CPU over 250
rounds. All read an agent's, the project's and one user's facts, 50 of 100,000 (``--facts 1000000`` for more).

raw       a bare WSGI function: one prepared statement of psycopg, orjson; no keys, rights, ledger or errors
service   memoryplane.wsgi, with the key known to the process
fastapi   FastAPI, asyncpg and orjson, in its own event loop; as bare as raw

A request in its turn finds the processor's caches full of the others' code and rows. What the second of two in a row
takes, which finds its own, is shown too, without a goal.

Goals: the service at most 1.5 times raw (1.2 is hoped for) and at most FastAPI, in one statement. ``--control`` puts
a ModelSerializer of the REST framework in the service's place, and must fail.
"""

import argparse
import asyncio
import io
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]
from turns import in_turn  # type: ignore[import-not-found]

GOAL_RAW, HOPED_RAW, GOAL_FASTAPI = 1.5, 1.2, 1.0
ROUNDS, WARM = 250, 25
PATH = "/public/v1/memory/facts"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="measure the REST framework's way; the run must fail")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--short", action="store_true", help="10,000 facts")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    board = Board()
    with migrated():
        from benchmarks.data import Store

        store = Store.make(options.seed)
        store.grow(10_000 if options.short else options.facts)
        print(f"{store.size:,} facts, {options.rounds} rounds")
        alone, again = measure(store, options.rounds, control=options.control)
        report(board, alone, again)
        write("cpu-short" if options.short else "cpu", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def measure(store: Any, rounds: int, *, control: bool) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Microseconds of CPU of each request, by variant: of one in its turn, and of the second of two in a row."""
    from django.conf import settings
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from benchmarks import rivals
    from memoryplane.wsgi import application

    url, project = database_url(), store.project
    service = rivals.drf_serializer(project.id, project.slug) if control else application
    loop = asyncio.new_event_loop()
    calls: dict[str, Callable[[], tuple[float, bytes]]] = {
        "raw": lambda: wsgi_call(rivals_raw, store),
        "service": lambda: wsgi_call(service, store),
        "fastapi": lambda: loop.run_until_complete(asgi_call(fastapi, store)),
    }
    rivals_raw = rivals.raw_wsgi(url, project.id, project.slug)
    fastapi = rivals.fastapi_asyncpg(url, project.id, project.slug)
    assert settings.DEBUG is False
    for _ in range(WARM):
        ids = {name: [fact["id"] for fact in json.loads(call()[1])["facts"]] for name, call in calls.items()}
    if len(ids["raw"]) != 50 or ids["raw"] != ids["service"] or ids["raw"] != ids["fastapi"]:
        raise SystemExit("The variants don't tell the same facts.")
    with CaptureQueriesContext(connection) as statements:
        calls["service"]()
    print(f"  statements of a warm read: {len(statements)}")
    alone: dict[str, list[float]] = {name: [] for name in calls}
    again: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(2 * rounds):
        twice = number % 2
        for name in in_turn(names, number // 2):
            took = calls[name]()[0]
            if twice:
                took = calls[name]()[0]
            (again if twice else alone)[name].append(took)
    loop.close()
    return alone, again


def report(board: Any, spent: dict[str, list[float]], again: dict[str, list[float]]) -> None:
    middle = {name: statistics.median(values) for name, values in spent.items()}
    for name, value in middle.items():
        board.note(f"{name}: CPU of a request, median", value, unit="us")
    board.at_most("service to raw", middle["service"] / middle["raw"], GOAL_RAW)
    hoped = "reached" if middle["service"] <= HOPED_RAW * middle["raw"] else "not reached"
    board.note(f"  at most {HOPED_RAW} is hoped for", hoped)
    board.at_most("service to FastAPI + asyncpg + orjson", middle["service"] / middle["fastapi"], GOAL_FASTAPI)
    second = {name: statistics.median(values) for name, values in again.items()}
    board.note("two requests in a row, the second: service to raw", second["service"] / second["raw"])
    board.note("the same, service to FastAPI", second["service"] / second["fastapi"])


def database_url() -> str:
    import os

    return os.environ["DATABASE_URL"]


def wsgi_call(application: Any, store: Any) -> tuple[float, bytes]:
    """Microseconds of CPU from the server's call to the end of the answer, and its body."""
    environ = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": PATH,
        "QUERY_STRING": urlencode(store.params()),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "HTTP_ACCEPT": "*/*",
        "HTTP_ACCEPT_ENCODING": "gzip, deflate",
        "HTTP_USER_AGENT": "agent/1.0",
        "HTTP_X_API_KEY": store.text,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
    }
    status: list[str] = []
    began = time.thread_time_ns()
    answer = application(environ, lambda line, headers: status.append(line))
    body = b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
    took = time.thread_time_ns() - began
    assert status == ["200 OK"], (status, body[:300])
    return took / 1000, body


async def asgi_call(application: Any, store: Any) -> tuple[float, bytes]:
    """The same of an ASGI application; the loop's own start and end are left out."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/memory/facts",
        "raw_path": b"/memory/facts",
        "root_path": "",
        "query_string": urlencode(store.params()).encode(),
        "headers": [
            (b"host", b"127.0.0.1:8000"),
            (b"accept", b"*/*"),
            (b"accept-encoding", b"gzip, deflate"),
            (b"user-agent", b"agent/1.0"),
            (b"x-api-key", store.text.encode()),
        ],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    began = time.thread_time_ns()
    await application(scope, receive, send)
    took = time.thread_time_ns() - began
    body = b"".join(message.get("body", b"") for message in sent)
    assert sent[0]["status"] == 200, body[:300]
    return took / 1000, body


if __name__ == "__main__":
    sys.exit(main())
