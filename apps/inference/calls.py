"""How often and how long a model is asked: bounded retries, and a circuit breaker that every process shares."""

import hashlib
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

import structlog
from django.core.cache import BaseCache, cache
from redis.exceptions import RedisError

from apps.inference.errors import CircuitOpen, ModelError, ModelTimeout

log = structlog.get_logger(__name__)
T = TypeVar("T")

FAILURES = 5
OPEN_SECONDS = 60
PROBE_SECONDS = 300
MEMORY_SECONDS = 3600


class CircuitBreaker:
    """Leaves a model alone after five failed calls in a row; kept in the cache, so that all processes agree.

    Closed: calls pass. Open, for 60 seconds: none does. Then half-open: one call of one process passes as a
    probe; it closes the breaker or opens it again, and if its process dies another may probe after
    `probe_seconds`, which has to be longer than a call. With the cache away every call passes, and that is
    logged.
    """

    def __init__(
        self,
        name: str,
        *,
        store: BaseCache | None = None,
        failures: int = FAILURES,
        open_seconds: float = OPEN_SECONDS,
        probe_seconds: int = PROBE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        key = f"inference:breaker:{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        self._name, self._store, self._clock = name, store or cache, clock
        self._failed, self._opened, self._probe = f"{key}:failed", f"{key}:opened", f"{key}:probe"
        self._failures, self._open_seconds, self._probe_seconds = failures, open_seconds, probe_seconds
        self._nothing_failed = False

    def allow(self) -> None:
        """Returns if the model may be called now; say how it went by `succeeded`, `failed` or
        `let_go`. Raises CircuitOpen."""
        wait = self._safely(self._wait, 0.0)
        if wait:
            raise CircuitOpen(wait)

    def is_open(self) -> bool:
        """Whether the model is left alone now, for pages that show it; asking changes nothing."""
        return bool(self._safely(lambda: self._store.get(self._opened) is not None, False))

    def succeeded(self) -> None:
        """The server is alive."""
        # Nothing had failed when the call was let through; what failed since says more than this call, begun before.
        if self._nothing_failed:
            return
        if self._safely(self._close, False):
            log.info("model_circuit_closed", model=self._name)

    def failed(self) -> None:
        """A call failed in a way that speaks against the server."""
        count = self._safely(self._count, 0)
        if count >= self._failures:
            log.warning("model_circuit_opened", model=self._name, failures=count, seconds=self._open_seconds)

    def let_go(self) -> None:
        """The call ended in a way that says nothing about the server: if it was the probe, another may follow."""
        self._safely(lambda: self._store.delete(self._probe), False)

    def _wait(self) -> float:
        known = self._store.get_many([self._failed, self._opened])
        self._nothing_failed = not known
        opened = known.get(self._opened)
        if opened is None:
            return 0.0
        age = self._clock() - opened
        # A clock set back makes the age negative; that must not keep it open for longer.
        if 0 <= age < self._open_seconds:
            return max(1.0, self._open_seconds - age)
        free = self._store.add(self._probe, 1, self._probe_seconds)
        return 0.0 if free else max(1.0, self._open_seconds / 10)

    def _close(self) -> bool:
        known = self._store.get_many([self._failed, self._opened])
        if known:
            self._store.delete_many([self._failed, self._opened, self._probe])
        return self._opened in known

    def _count(self) -> int:
        self._store.add(self._failed, 0, MEMORY_SECONDS)
        count = self._store.incr(self._failed)
        if count >= self._failures:
            self._store.set(self._opened, self._clock(), MEMORY_SECONDS)
            self._store.delete(self._probe)
        return count

    def _safely(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        # ValueError: the counter ran out between its two commands.
        except (RedisError, OSError, ValueError) as error:
            log.warning("model_circuit_unknown", model=self._name, error=type(error).__name__)
            return otherwise


def chat_breaker(base_url: str, model: str) -> CircuitBreaker:
    """The breaker that all processes share for one chat model."""
    return CircuitBreaker(f"chat:{base_url}:{model}")


def call_with_retries(
    fn: Callable[[float], T],
    *,
    attempts: int = 3,
    deadline: float = 120.0,
    base: float = 0.5,
    cap: float = 20.0,
    breaker: CircuitBreaker | None = None,
    sleep: Callable[[float], Any] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> T:
    """What `fn(seconds_left)` returns, in at most `attempts` tries and `deadline` seconds altogether.

    `fn` has to keep to the seconds it is given. After the n-th failed try it waits a random part of
    `base * 2**(n-1)` seconds, of `cap` at most; with a Retry-After at least that long. A Retry-After beyond `cap`,
    or a wait beyond the deadline, is not slept through: the error is raised at once, and its `retry_after` is for
    the row's schedule. Raises the last ModelError, CircuitOpen (whenever the breaker says so, before a try), or
    at once an error that is not retryable. The breaker hears of each try.
    """
    end = clock() + deadline
    for attempt in range(1, attempts + 1):
        left = end - clock()
        if left <= 0:
            raise ModelTimeout(deadline)
        if breaker:
            breaker.allow()
        try:
            result = fn(left)
        except ModelError as error:
            if breaker:
                (breaker.failed if error.blames_server else breaker.succeeded)()
            asked = error.retry_after or 0
            wait = max(asked, jitter() * min(cap, base * 2 ** (attempt - 1)))
            if attempt == attempts or not error.retryable or asked > cap or wait >= end - clock():
                raise
            log.info("model_call_again", code=error.code, attempt=attempt, wait=round(wait, 2))
            sleep(wait)
        except BaseException:
            if breaker:
                breaker.let_go()
            raise
        else:
            if breaker:
                breaker.succeeded()
            return result
    raise ValueError("attempts has to be at least 1")
