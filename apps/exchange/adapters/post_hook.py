"""One message to one receiver: bounded in time, to the address that was checked, with nothing of the answer kept."""

import ssl
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore2

from apps.exchange.adapters.addresses import AddressRefused, Target, checked_target

SECONDS = 10
"""For the whole call, however slowly the receiver speaks."""
READ_BYTES = 1_024
"""Of an answer; only its status counts."""


@dataclass(frozen=True)
class Answer:
    """``status`` is null where none came; ``error`` is empty for 2xx, and a code otherwise."""

    status: int | None
    error: str = ""


def post_hook(url: str, headers: dict[str, str], body: bytes) -> Answer:
    """Post it; redirects are not followed, proxies of the environment not asked. Never raises for what a receiver does."""
    try:
        target = checked_target(url)
    except AddressRefused as refusal:
        return Answer(None, refusal.code)
    try:
        return _posted(target, headers, body)
    except httpcore2.TimeoutException:
        return Answer(None, "timeout")
    except httpcore2.ConnectError as error:
        # What was raised below is an argument of it: the pool takes causes away.
        return Answer(None, "tls" if any(isinstance(one, ssl.SSLError) for one in error.args) else "unreachable")
    except (httpcore2.NetworkError, httpcore2.ProtocolError):
        return Answer(None, "broken_off")


def _posted(target: Target, headers: dict[str, str], body: bytes) -> Answer:
    within = _Within(target, time.monotonic() + SECONDS)
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), float(SECONDS))
    # The host's name stands in the address, in Host and in TLS; where it is connected to is the backend's affair.
    with (
        httpcore2.ConnectionPool(ssl_context=ssl.create_default_context(), network_backend=within) as pool,
        pool.stream(
            "POST", target.url, headers=list(headers.items()), content=body, extensions={"timeout": timeouts}
        ) as response,
    ):
        read = 0
        for part in response.iter_stream():
            read += len(part)
            if read >= READ_BYTES:
                break
        status = response.status
    return Answer(status, "" if 200 <= status < 300 else "status")


class _Within(httpcore2.NetworkBackend):
    """Connects to the checked address, whatever name it is asked for, and to nothing once the time is over."""

    def __init__(self, target: Target, deadline: float) -> None:
        self._target, self._deadline, self._backend = target, deadline, httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = self._backend.connect_tcp(self._target.address, self._target.port, timeout=_left(self._deadline))
        return _Stream(stream, self._deadline)


class _Stream(httpcore2.NetworkStream):
    """A connection all of whose waiting ends at one moment."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, timeout=_left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout=_left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, timeout=_left(self._deadline))
        return _Stream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout
    return left
