"""One bounded request to an OpenAI-compatible server, whichever endpoint."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

import httpx2
import openai

from apps.core import clock
from apps.inference.errors import ModelAnswerInvalid, ModelError, ModelRateLimited, ModelTimeout, ModelUnavailable

MAX_ERROR_BYTES = 65_536
CONNECT_SECONDS = 10.0

# At DEBUG or INFO they say whole addresses; OPENAI_LOG in the environment must not raise the level either.
for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class Refused(Exception):
    """The server answered 400 or 422. Says which parameters it blames, never in its words: they may repeat
    the prompt."""

    def __init__(self, status: int, blames: frozenset[str]) -> None:
        super().__init__(status)
        self.status = status
        self.blames = blames


# What a refusal is searched for, to learn from it.
TELLTALES = ("max_completion_tokens", "temperature", "context_length_exceeded", "maximum context length")


@lru_cache(maxsize=8)
def client(base_url: str, api_key: str) -> openai.OpenAI:
    """The process's client of one server: retries and redirects off, connections kept open."""
    return openai.OpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        admin_api_key="",
        max_retries=0,
        http_client=httpx2.Client(
            follow_redirects=False,  # a redirect would carry the prompt to a server nobody chose
            event_hooks={"response": [_bound_error]},
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20),
        ),
    )


# Two processes on one connection would read each other's answers.
os.register_at_fork(after_in_child=client.cache_clear)


def ask(
    create: Callable[..., AbstractContextManager[Any]],
    body: dict[str, Any],
    *,
    api_key: str,
    seconds: float,
    max_bytes: int,
) -> bytes:
    """The body of a 2xx answer.

    `create` is the `with_streaming_response.create` of an endpoint. Raises ModelTimeout, ModelRateLimited,
    ModelUnavailable, ModelAnswerInvalid `too_large` (after reading `max_bytes`), Refused. A server that sends
    drop by drop is left after at most twice `seconds`.
    """
    deadline = time.monotonic() + seconds
    fault: ModelError | Refused
    # The client walks through every member of a typed body, which takes it longer than all the rest of a call: it is
    # given the names it asks for, and the body as it is.
    named = {name: body[name] if name == "model" else [] for name in ("model", "messages", "input") if name in body}
    try:
        with create(
            **named,
            extra_body=body,
            extra_headers=_headers(api_key),
            timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        ) as response:
            return _read(response.http_response, max_bytes, deadline, seconds)
    except (openai.APITimeoutError, httpx2.TimeoutException):
        fault = ModelTimeout(seconds)
    except openai.APIStatusError as error:
        fault = _status_fault(error)
    except (openai.APIConnectionError, httpx2.HTTPError):
        fault = ModelUnavailable()
    # Raised out here and not above, so that no exception of the client hangs on it: its text may repeat the prompt.
    raise fault


def _headers(api_key: str) -> dict[str, Any]:
    """Said for each request, so that no OPENAI_ variable of the machine sends a key or an account along."""
    return {
        "Authorization": f"Bearer {api_key}" if api_key else openai.Omit(),
        "OpenAI-Organization": openai.Omit(),
        "OpenAI-Project": openai.Omit(),
        "Accept-Encoding": "identity",  # what is not unpacked can't grow
    }


def _read(response: httpx2.Response, max_bytes: int, deadline: float, seconds: float) -> bytes:
    parts, total = [], 0
    for part in response.iter_raw():  # as it arrives: gathering a fixed size would wait past the deadline
        parts.append(part)
        total += len(part)
        if total > max_bytes:
            raise ModelAnswerInvalid("too_large")
        if time.monotonic() > deadline:
            raise ModelTimeout(seconds)
    return b"".join(parts)


@dataclass
class _Beginning(httpx2.SyncByteStream):
    """The first `MAX_ERROR_BYTES` of a stream, or what of them comes within five seconds."""

    stream: Any

    def __iter__(self) -> Iterator[bytes]:
        total, deadline = 0, time.monotonic() + 5
        for part in self.stream:
            yield part[: MAX_ERROR_BYTES - total]
            total += len(part)
            if total >= MAX_ERROR_BYTES or time.monotonic() > deadline:
                return

    def close(self) -> None:
        self.stream.close()


def _bound_error(response: httpx2.Response) -> None:
    """The client reads the body of an error to its end before anybody can look at it."""
    if response.status_code >= 300:
        response.headers.pop("content-encoding", None)
        response.stream = _Beginning(response.stream)


def _status_fault(error: openai.APIStatusError) -> ModelError | Refused:
    status, retry_after = error.status_code, _retry_after(error.response.headers)
    if status == 429:
        return ModelRateLimited(retry_after)
    if status in {400, 422}:
        said = json.dumps(error.body, default=str).lower()
        return Refused(status, frozenset(sign for sign in TELLTALES if sign in said))
    return ModelUnavailable(status, retry_after)


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds from `retry-after-ms` or `Retry-After`, which has seconds or a date; None if there is neither."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        if 0 <= seconds < 1e9:
            return seconds
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, moment.timestamp() - clock.now().timestamp())
