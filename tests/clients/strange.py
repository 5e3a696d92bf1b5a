"""A server over real HTTP that answers as it is told to, and notes what it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """``kind`` is "answers", or what it does instead: "breaks" the connection, or "sleeps" until the server ends."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "answers"


def tells(value: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"})


@dataclass
class Strange:
    """Gives its answers in turn, the last one again and again. ``sent``: the headers of each request."""

    url: str
    answers: list[Answer]
    sent: list[dict[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def strange(*answers: Answer) -> Iterator[Strange]:
    """Listens on a free port as long as the block runs."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                there.sent.append(dict(self.headers.items()))
                found = there.answers[min(len(there.sent), len(there.answers)) - 1]
            self.close_connection = True
            if found.kind == "sleeps":
                there.over.wait(60)
            if found.kind != "answers":
                return
            self.send_response(found.status)
            for name, value in {**found.headers, "Content-Length": str(len(found.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(found.body)

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, format: str, *args: Any) -> None:
            """What was sent stands in ``sent``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    there = Strange(f"http://127.0.0.1:{server.server_address[1]}", list(answers))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield there
    finally:
        there.over.set()
        server.shutdown()
        server.server_close()
