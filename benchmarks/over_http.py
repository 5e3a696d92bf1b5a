"""One read of facts over HTTP: our whole service beside a bare WSGI function under the same server.

One process each, asked in turn over two connections that are kept open, the order rotated every round; medians over
the rounds. Both read an agent's, the project's and one user's facts, 50 of 100,000 (``--facts 1000000`` for more).

raw       a bare WSGI function: one prepared statement of psycopg, orjson; no keys, rights, ledger or errors
service   memoryplane.web, as `manage.py up` starts it

Goals: the median time at most 2 times raw's, and at least 0.6 times its requests a second. ``--control`` puts a
ModelSerializer of the REST framework in the service's place, and must fail. (Not http.py: scripts here would import
that for the standard library's.)
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import psutil
from servers import ROOT, migrated  # type: ignore[import-not-found]

GOAL_TIME, GOAL_RATE = 2.0, 0.6
CONNECTIONS = 2
PATH = "/public/v1/memory/facts"
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass
class Served:
    """A variant behind a server process, and what each round found."""

    process: "subprocess.Popen[bytes]"
    port: int
    middle: list[float] = field(default_factory=list)  # ms
    rate: list[float] = field(default_factory=list)  # requests a second
    cpu: list[float] = field(default_factory=list)  # ms a request
    database_cpu: list[float] = field(default_factory=list)  # ms a request


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="measure the REST framework's way; the run must fail")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9, help="5 or more")
    parser.add_argument("--requests", type=int, default=300, help="in each turn")
    parser.add_argument("--short", action="store_true", help="10,000 facts")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--serve", nargs=4, metavar=("VARIANT", "LISTENER", "PROJECT", "SLUG"), help=argparse.SUPPRESS)
    parser.add_argument("--ask", nargs=2, metavar=("PORT", "REQUESTS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(*options.serve)
    if options.ask:
        return ask(int(options.ask[0]), int(options.ask[1]), sys.stdin.buffer.read())
    if options.rounds < 5:
        parser.error("--rounds must be 5 or more")
    with migrated():
        from benchmarks.data import Store
        from benchmarks.results import Board, write

        board = Board()
        store = Store.make(options.seed)
        store.grow(10_000 if options.short else options.facts)
        print(f"{store.size:,} facts, {options.rounds} rounds of {options.requests} requests")
        measure(board, store, options)
        write("over_http", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def measure(board: Any, store: Any, options: argparse.Namespace) -> None:
    request = (
        f"GET {PATH}?{urlencode(store.params())} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {store.text}\r\n"
        "Accept: */*\r\nAccept-Encoding: gzip, deflate\r\nUser-Agent: agent/1.0\r\n\r\n"
    ).encode()
    with ExitStack() as stack:
        variants = {
            "raw": stack.enter_context(served("raw", store.project)),
            "service": stack.enter_context(served("drf" if options.control else "service", store.project)),
        }
        told = {name: ids(one.port, request) for name, one in variants.items()}
        if len(told["raw"]) != 50 or told["raw"] != told["service"]:
            raise SystemExit("The variants don't tell the same facts.")
        postgres = postmaster()
        for one in variants.values():
            asked(one.port, 200, request)  # every thread has its connection and its prepared statement
        names = list(variants)
        for number in range(options.rounds):
            turn = number % len(names)
            for name in names[turn:] + names[:turn]:
                one = variants[name]
                before = cpu_seconds(one.process.pid), cpu_seconds(postgres)
                found = asked(one.port, options.requests, request)
                after = cpu_seconds(one.process.pid), cpu_seconds(postgres)
                one.cpu.append(1000 * (after[0] - before[0]) / options.requests)
                one.database_cpu.append(1000 * (after[1] - before[1]) / options.requests)
                one.middle.append(found["middle_ms"])
                one.rate.append(found["rate"])
    report(board, variants)


def report(board: Any, variants: dict[str, Served]) -> None:
    for name, one in variants.items():
        board.note(f"{name}: time of a request, median", statistics.median(one.middle), unit="ms")
        board.note(f"{name}: requests a second", statistics.median(one.rate), unit="1/s")
        board.note(f"{name}: the server's CPU of a request", statistics.median(one.cpu), unit="ms")
        board.note(f"{name}: the database's CPU of a request", statistics.median(one.database_cpu), unit="ms")
    raw, service = variants["raw"], variants["service"]

    def ratio(pick: Callable[[Served], list[float]]) -> float:
        """Of the medians over the rounds."""
        return statistics.median(pick(service)) / statistics.median(pick(raw))

    board.note("service to raw, the server's CPU", ratio(lambda one: one.cpu))
    board.note("service to raw, the database's CPU", ratio(lambda one: one.database_cpu))
    board.at_most("service to raw, median time of a request", ratio(lambda one: one.middle), GOAL_TIME)
    board.at_least("service to raw, requests a second", ratio(lambda one: one.rate), GOAL_RATE)


@contextmanager
def served(variant: str, project: Any) -> Iterator[Served]:
    """The variant's process, killed in the end whatever happens: one that stays would answer the next run."""
    from memoryplane.httpd import listen

    with listen("127.0.0.1", 0) as listener:
        number = listener.fileno()
        if variant == "service":
            arguments = ["-m", "memoryplane.web", "--listener", str(number)]
        else:
            arguments = [__file__, "--serve", variant, str(number), str(project.id), project.slug]
        process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, pass_fds=[number], stdin=subprocess.DEVNULL)
        try:
            yield Served(process, listener.getsockname()[1])
        finally:
            process.kill()
            process.wait()


def serve(variant: str, listener: str, project: str, slug: str) -> int:
    """What a child runs: the raw function, or the control, under the product's server."""
    from memoryplane.httpd import Server

    def refuse(status: int) -> tuple[str, list[tuple[str, str]], bytes]:
        return f"{status} Refused", [], b""

    make = {"raw": per_thread, "drf": with_django}[variant]
    Server(make(int(project), slug), socket.socket(fileno=int(listener)), refuse).run()
    return 0


def per_thread(project: int, slug: str) -> Wsgi:
    """The raw function with a database connection for each thread of the server, as the service has."""
    from benchmarks.rivals import raw_wsgi

    own = threading.local()

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not hasattr(own, "raw"):
            own.raw = raw_wsgi(os.environ["DATABASE_URL"], project, slug)
        answer: Iterable[bytes] = own.raw(environ, start_response)
        return answer

    return application


def with_django(project: int, slug: str) -> Wsgi:
    import django
    from django.conf import settings

    # The usual way has no short cut past the middleware.
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != "apps.api.middleware.ApiApart"]
    django.setup()
    from benchmarks.rivals import drf_serializer

    application: Wsgi = drf_serializer(project, slug)
    return application


def asked(port: int, requests: int, request: bytes) -> dict[str, float]:
    """One turn, by a process of its own: its CPU is none of the server's, and the two don't share a lock."""
    command = [sys.executable, __file__, "--ask", str(port), str(requests)]
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, check=True, timeout=300)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def ask(port: int, requests: int, request: bytes) -> int:
    """Send the request so many times over the connections; print the median time and the rate."""
    times: list[float] = []
    failures: list[BaseException] = []

    def send() -> None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for _ in range(requests // CONNECTIONS):
                    began = time.perf_counter()
                    connection.sendall(request)
                    receive(connection)
                    times.append(time.perf_counter() - began)
        except (OSError, ValueError) as failure:
            failures.append(failure)

    threads = [threading.Thread(target=send) for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"A request failed: {failures[0]!r}")
    rate = len(times) / (time.perf_counter() - began)
    print(json.dumps({"middle_ms": 1000 * statistics.median(times), "rate": rate}))
    return 0


def ids(port: int, request: bytes) -> list[int]:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        return [fact["id"] for fact in json.loads(receive(connection))["facts"]]


def receive(connection: socket.socket) -> bytes:
    """The body of one answer. Raises ValueError for any status but 200."""
    said = b""
    while b"\r\n\r\n" not in said:
        said += _more(connection)
    head, _, body = said.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        raise ValueError(head[:200])
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    parts, missing = [body], length - len(body)
    while missing > 0:
        parts.append(_more(connection))
        missing -= len(parts[-1])
    return b"".join(parts)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 18)
    if not data:
        raise ValueError("The answer was cut off.")
    return data


def cpu_seconds(pid: int) -> float:
    """Of a process and its children, living or not, from /proc/PID/stat."""
    process, spent = psutil.Process(pid), 0.0
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # ended since it was listed: its parent has its time now
            spent += sum(one.cpu_times()[:4])
    return spent


def postmaster() -> int:
    """The pid of this run's PostgreSQL: of the children that bear its name the one whose parent does not."""
    mine = [one for one in psutil.Process().children(recursive=True) if one.name() == "postgres"]
    pids = {one.pid for one in mine}
    return next(one.pid for one in mine if one.ppid() not in pids)


if __name__ == "__main__":
    sys.exit(main())
