"""A scripted OpenAI-compatible server over real HTTP: `/v1/chat/completions` and `/v1/embeddings`.

with ModelServer() as server:
    server.script([http(500), ok({"facts": []})])     # one a request; the last one repeats
    server.script(lambda request: ok({"facts": []}))  # or made from the request
    ... server.url, server.requests ...
"""

import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

FACT = {"statement": "The user lives in Lisbon.", "quote": "I live in Lisbon", "confidence": 0.9}


@dataclass(frozen=True)
class Request:
    """What a client sent; `number` counts from 1, `at` is time.monotonic() of its arrival."""

    number: int
    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any] = field(repr=False)
    at: float

    @property
    def mode(self) -> str:
        """`json_schema`, `json_object` or `text`."""
        return self.body.get("response_format", {}).get("type", "text")


@dataclass(frozen=True)
class Reply:
    """One HTTP answer: `wait` seconds, then status, headers and body.

    `body` may be an iterator of pieces, each sent as it comes. `drop_after`: the connection is closed after so
    many bytes of the body (0: before anything is said) though more were promised.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | Iterator[bytes] = field(default=b"", repr=False)
    wait: float = 0.0
    drop_after: int | None = None


Script = list[Reply] | Callable[[Request], Reply]


def ok(
    content: Any, *, prompt_tokens: int = 120, completion_tokens: int = 30, finish: str = "stop", **message: Any
) -> Reply:
    """A chat completion. `content`: a text as it is, anything else as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    return raw_json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted-1",
            "choices": [
                {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
            ],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "total_tokens": prompt_tokens + completion_tokens,
            },
        }
    )


def raw_json(value: Any, status: int = 200) -> Reply:
    return Reply(status, {"Content-Type": "application/json"}, json.dumps(value).encode())


def http(status: int, headers: dict[str, str] | None = None, body: Any = None) -> Reply:
    """An answer of that status; a `body` that is no bytes is sent as JSON."""
    body = {"error": {"message": "scripted", "type": "error", "code": None}} if body is None else body
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(status, {"Content-Type": "application/json", **(headers or {})}, content)


def delayed(seconds: float, reply: Reply) -> Reply:
    return replace(reply, wait=seconds)


def refuses(*modes: str, answer: Reply, status: int = 400) -> Callable[[Request], Reply]:
    """A server that knows no such response_format, and otherwise gives `answer`."""

    def script(request: Request) -> Reply:
        error = {"message": f"response_format {request.mode} is not supported", "param": "response_format"}
        return http(status, body={"error": error}) if request.mode in modes else answer

    return script


def empty() -> Reply:
    return ok("")


def prose() -> Reply:
    return ok("I could not find anything worth remembering in this conversation.")


def truncated() -> Reply:
    return ok(json.dumps({"facts": [FACT, FACT]})[:-20], finish="length")


def wrong_schema() -> Reply:
    return ok({"memories": [FACT]})


def huge(megabytes: int = 10) -> Reply:
    """A completion whose content is that long; sent piece by piece, made as it is sent."""
    head, tail = _around_content("stop")
    piece = b"a" * 65_536

    def pieces() -> Iterator[bytes]:
        yield head
        for _ in range(megabytes * 16):
            yield piece
        yield tail

    length = str(len(head) + megabytes * 16 * len(piece) + len(tail))
    return Reply(200, {"Content-Type": "application/json", "Content-Length": length}, pieces())


def dripping(seconds_a_byte: float) -> Reply:
    """A right answer that comes byte by byte."""
    whole = ok({"facts": []})
    assert isinstance(whole.body, bytes)
    content = whole.body

    def pieces() -> Iterator[bytes]:
        for place in range(len(content)):
            time.sleep(seconds_a_byte)
            yield content[place : place + 1]

    return replace(whole, headers={**whole.headers, "Content-Length": str(len(content))}, body=pieces())


def nan() -> Reply:
    return ok('{"facts": [{"statement": "The user lives in Lisbon.", "confidence": NaN, "importance": -Infinity}]}')


def many_facts(count: int = 10_000) -> Reply:
    return ok({"facts": [{**FACT, "statement": f"The user owns book number {n}."} for n in range(count)]})


def lone_surrogate() -> Reply:
    """Half a surrogate pair inside the JSON, and a raw one around it in the envelope."""
    return ok('{"facts": [{"statement": "The user likes \\ud83d tea.", "quote": "茶 \ud83d"}]}')


def repeated_key() -> Reply:
    return ok('{"facts": [{"statement": "first"}], "facts": [{"statement": "second", "statement": "third"}]}')


def repeated_token(times: int = 4_000) -> Reply:
    return ok("the " * times, finish="length", completion_tokens=times)


def drop(after: int = 0) -> Reply:
    """The connection ends: at once, or after so many bytes of the body."""
    return replace(ok({"facts": []}), drop_after=after)


def vectors(rows: list[list[float]], *, backwards: bool = False) -> Reply:
    """An embeddings answer; `backwards` lists it last first, with the right index each."""
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    return raw_json({"object": "list", "model": "scripted-embed", "data": data[::-1] if backwards else data})


def hashed_vectors(request: Request, dims: int = 8) -> Reply:
    """A vector of the words of each text, the same for the same words everywhere."""
    return vectors([_hashed(text, dims) for text in request.body["input"]])


def _hashed(text: str, dims: int) -> list[float]:
    row = [0.01] * dims
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        row[digest[0] % dims] += 1.0 if digest[1] % 2 else -1.0
    length = math.hypot(*row)
    return [value / length for value in row]


def _around_content(finish: str) -> tuple[bytes, bytes]:
    whole = ok("|", finish=finish).body
    assert isinstance(whole, bytes)
    head, tail = whole.split(b"|")
    return head, tail


class ModelServer:
    """The server on a free port of this machine; `requests` holds what came, in order of arrival.

    Unscripted, chat answers `{"facts": []}` and embeddings are hashed words of 8 dimensions.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._script: Script = self._unscripted
        self._taken = 0
        outer = self

        class Handler(_Handler):
            model_server = outer

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL, with /v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, script: Script) -> None:
        """What to answer from now on; the requests so far are forgotten."""
        with self._lock:
            self._script, self._taken, self.requests = script, 0, []

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        with self._lock:
            request = Request(len(self.requests) + 1, path, headers, body, time.monotonic())
            self.requests.append(request)
            script = self._script
            if isinstance(script, list):
                reply = script[min(self._taken, len(script) - 1)]
                self._taken += 1
                return reply
        return script(request)

    @staticmethod
    def _unscripted(request: Request) -> Reply:
        return hashed_vectors(request) if request.path.endswith("/embeddings") else ok({"facts": []})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a handler may be asleep in a scripted delay
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up on purpose here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else head and body, two writes, lie 40 ms apart
    model_server: ModelServer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if self.path not in {"/v1/chat/completions", "/v1/embeddings"}:
            return self.send(http(404))
        self.send(self.model_server.answer(self.path, headers, body))

    def send(self, reply: Reply) -> None:
        if reply.wait:
            time.sleep(reply.wait)
        if reply.drop_after == 0:
            self.close_connection = True
            return
        pieces = iter([reply.body]) if isinstance(reply.body, bytes) else reply.body
        headers = dict(reply.headers)
        if isinstance(reply.body, bytes):
            headers.setdefault("Content-Length", str(len(reply.body)))
        with suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in pieces:
                if reply.drop_after is not None:
                    self.wfile.write(piece[: reply.drop_after])
                    self.close_connection = True
                    return
                self.wfile.write(piece)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: a test reads `requests`."""
