"""The HTTP server of the web processes: waitress, which takes a request whole before a thread is given to it.

What is added to it: bounds on time for every state a connection can be in, a bound on what unfinished bodies hold, an
answer of our own for what is refused before the application sees it, and an end in order. It knows no application.
"""

import logging
import resource
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

THREADS = 8
HEAD_BYTES = 160 * 1024  # request line and headers together; a line of 128 kB has room for its headers
BODY_BYTES = 32 * 1024 * 1024  # the largest that any path takes; the paths have lower limits of their own
CONNECTIONS = 512  # a process
UNFINISHED_BYTES = 512 * 1024 * 1024  # of bodies under way, a process; beyond 256 kB a body is a temporary file
HEAD_SECONDS = 10.0  # from the first byte, or from connecting, to the end of the headers
REQUEST_SECONDS = 120.0  # from the first byte to the end of the body
STALL_SECONDS = 20.0  # without a byte of a body, or of an answer that the client should be reading
ANSWER_SECONDS = 300.0  # to read what was written
IDLE_SECONDS = 75.0  # between two requests; longer than a proxy keeps its end open (docker/Caddyfile)
DRAIN_SECONDS = 4.0  # for requests under way when the end is asked for; below the supervisor's patience

# The answer for a status that is given before the application is asked: status line, headers, body.
Refusal = Callable[[int], tuple[str, list[tuple[str, str]], bytes]]


def listen(host: str, port: int) -> socket.socket:
    """A listening TCP socket, that processes can share. Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        # No SO_REUSEPORT: with it, a second server on the port would take a part of the requests unnoticed.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


class RefusalTask(ErrorTask):
    """Says why a request was refused before the application saw it."""

    def execute(self) -> None:
        self.status, headers, body = self.channel.server.refuse(self.request.error.code)
        self.response_headers.extend(headers)
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class AnswerTask(WSGITask):
    """Sends what the application answers; to HEAD the headers alone, or the client would read the body as its next
    answer."""

    def write(self, data: bytes) -> None:
        head = self.request.command == "HEAD"
        super().write(b"" if head else data)
        if head:
            self.chunked_response = False  # else the end of the chunks follows


class Channel(HTTPChannel):
    """One connection."""

    task_class = AnswerTask
    error_task_class = RefusalTask
    begun = 0.0  # when the first byte of the unfinished request came
    answered = 0.0  # when the application was done with the last one

    def received(self, data: bytes) -> bool:
        before = self.request
        done: bool = super().received(data)
        if self.request is not before:
            self.begun = time.time()
        return done

    def write_soon(self, data: Any) -> int:
        self.last_activity = time.time()  # a long silence of the application is not the client's
        written: int = super().write_soon(data)
        return written

    def service(self) -> None:
        super().service()
        self.answered = time.time()

    def is_busy(self) -> bool:
        """With a request that is being answered, or whose bytes are coming in right now."""
        coming = self.request is not None and time.time() - self.last_activity < 1
        return bool(self.requests or self.total_outbufs_len or coming)

    def is_idle(self) -> bool:
        """Between two requests, or before the first byte of one."""
        return self.request is None and not self.requests and not self.total_outbufs_len

    def is_overdue(self, now: float) -> bool:
        silent = now - self.last_activity
        if self.total_outbufs_len:
            # Also while the application writes: it waits for a client that does not read.
            return silent > STALL_SECONDS or (not self.requests and now - self.answered > ANSWER_SECONDS)
        if self.requests:
            return False
        if self.request is None:
            return silent > (IDLE_SECONDS if self.answered else HEAD_SECONDS)
        if not self.request.headers_finished:
            return now - self.begun > HEAD_SECONDS
        return silent > STALL_SECONDS or now - self.begun > REQUEST_SECONDS

    def unfinished_bytes(self) -> int:
        return self.request.body_bytes_received if self.request is not None else 0


class Server(TcpWSGIServer):
    """Serves `application` on a listening socket until `stop` is called, from a signal handler as a rule."""

    channel_class = Channel

    def __init__(self, application: Callable[..., Any], listener: socket.socket, refuse: Refusal) -> None:
        allow_files()
        logging.getLogger("waitress").setLevel(logging.WARNING)
        # It warns of each request that waits for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self.refuse = refuse
        self.stopping = False
        adjustments = Adjustments(
            sockets=[listener],
            threads=THREADS,
            asyncore_use_poll=True,
            connection_limit=CONNECTIONS,
            cleanup_interval=1,
            max_request_header_size=HEAD_BYTES,
            max_request_body_size=BODY_BYTES + 1,
            recv_bytes=64 * 1024,
            inbuf_overflow=256 * 1024,
            # Settings decide whether X-Forwarded-Proto is believed; the proxy strips what clients send.
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
            ident=None,
        )
        address = listener.getsockname()
        super().__init__(
            application,
            map={},
            _sock=listener,
            adj=adjustments,
            sockinfo=(listener.family, listener.type, listener.proto, address),
            bind_socket=False,
        )

    def maintenance(self, now: float) -> None:
        """Once a second: close what is overdue, and make room where there is none."""
        channels = list(self.active_channels.values())
        for channel in channels:
            if channel.is_overdue(now):
                channel.will_close = True
        if len(channels) >= CONNECTIONS - 8:
            idle = sorted((each for each in channels if each.is_idle()), key=lambda each: each.last_activity)
            for channel in idle[: CONNECTIONS // 4]:
                channel.will_close = True
        unfinished = sum(channel.unfinished_bytes() for channel in channels)
        for channel in sorted(channels, key=Channel.unfinished_bytes, reverse=True):
            if unfinished <= UNFINISHED_BYTES:
                break
            unfinished -= channel.unfinished_bytes()
            channel.will_close = True

    def run(self) -> None:
        while not self.stopping:
            self.turn(1.0)
        wasyncore.dispatcher.close(self)  # who connects now is refused, or taken by another process
        end = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < end:
            busy = False
            for channel in self.active_channels.values():
                if channel.is_busy():
                    busy = True
                else:
                    channel.will_close = True
            if not busy:
                break
            self.turn(0.1)
        wasyncore.close_all(self._map)

    def turn(self, seconds: float) -> None:
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        self.stopping = True
        with suppress(OSError):  # it ends already, and there is nobody left to wake
            self.pull_trigger()


def allow_files() -> None:
    """A connection may hold three files: its socket and two spilled buffers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * 3 + 256
    if soft != resource.RLIM_INFINITY and soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
