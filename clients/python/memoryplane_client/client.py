"""The two clients: the same calls, blocking and async."""

import asyncio
import time
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import httpx

from memoryplane_client import calls
from memoryplane_client.calls import Added, Call, Dream, Fact, Forgotten, Kept, Memory, Removed
from memoryplane_client.errors import MemoryPlaneError, NotReachable, TimedOut, Unavailable

T = TypeVar("T")
AGENT = "memoryplane-client/0.1.0"
LONGEST_WAIT = 2.0
"""Seconds between two tries, at most, whatever the server asks for: a caller waits for this."""


class _Settings:
    """Where the service is, with which API key, for how long one waits, and how often is tried.

    What may be sent twice (reads, and writes that the server does once) is tried ``tries`` times; of the rest a try is
    repeated only where nobody was reached, so that no write is doubled.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        timeout: float = 10.0,
        connect_timeout: float = 3.0,
        tries: int = 3,
        purpose: str = "",
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError("The address begins with http:// or https://.")
        if tries < 1:
            raise ValueError("There is one try at least.")
        self.url = f"{url.rstrip('/')}/v1/"
        self.tries = tries
        self.read = {"purpose": purpose} if purpose else {}
        self._options: dict[str, Any] = {
            "headers": {"X-API-Key": api_key, "User-Agent": AGENT, "Accept": "application/json"},
            "timeout": httpx.Timeout(timeout, connect=connect_timeout),
            "follow_redirects": False,
        }

    def _request(self, client: Any, call: Call[Any]) -> httpx.Request:
        headers = {**call.headers, **({"Content-Type": "application/json"} if call.body is not None else {})}
        found: httpx.Request = client.build_request(
            call.method, self.url + call.path, params=dict(call.params) or None, content=call.content(), headers=headers
        )
        return found

    def _wait(self, call: Call[Any], error: MemoryPlaneError, number: int) -> float | None:
        """Seconds until the next try, or None where there is none."""
        nobody = isinstance(error, NotReachable) and error.code == "not_connected"
        passing = isinstance(error, NotReachable | TimedOut | Unavailable)
        if number >= self.tries or not (nobody or (passing and call.again)):
            return None
        asked = error.retry_after if error.retry_after is not None else 0.1 * 2 ** (number - 1)
        return asked if asked <= LONGEST_WAIT else None


def _failed(error: httpx.HTTPError) -> MemoryPlaneError:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return NotReachable("The memory service can't be reached.", code="not_connected")
    if isinstance(error, httpx.TimeoutException):
        return TimedOut("The memory service did not answer in time.", code="timed_out")
    return NotReachable("The connection to the memory service broke.", code="broken")


class Client(_Settings):
    """Blocking. May be used from several threads; `close` it, or use it in a ``with``."""

    def __init__(self, url: str, api_key: str, **options: Any) -> None:
        super().__init__(url, api_key, **options)
        self._http = httpx.Client(**self._options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Send a call and read its answer. Raises one of `memoryplane_client.errors`."""
        number = 0
        while True:
            number += 1
            try:
                return calls.answer(call, self._http.send(self._request(self._http, call)))
            except httpx.HTTPError as broken:
                error = _failed(broken)
                cause: Exception | None = broken
            except MemoryPlaneError as told:
                error, cause = told, told.__cause__  # type: ignore[assignment]
            wait = self._wait(call, error, number)
            if wait is None:
                raise error from cause
            time.sleep(wait)

    def check(self) -> dict[str, Any]:
        """The project and the scopes of the API key."""
        return self.send(calls.check())

    def add_fact(self, content: str, **marks: Any) -> Added:
        """Idempotent by its words in its place. ``marks``: those of `calls.add_fact`."""
        return self.send(calls.add_fact(content, **marks))

    def get_fact(self, fact_id: int) -> Fact:
        return self.send(calls.get_fact(fact_id))

    def facts(self, *, limit: int | None = None, **params: str) -> list[Fact]:
        """``limit`` facts (None: all), page by page, and with ``waiting="true"`` those that wait besides. ``params``: those of
        ``GET /v1/facts``."""
        size = str(calls.PAGE if limit is None else min(limit, calls.PAGE))
        asked = {**self.read, **params, "limit": size}
        found, cursor = self.send(calls.list_facts(asked))
        while cursor is not None and (limit is None or sum(not one.waits for one in found) < limit):
            more, cursor = self.send(calls.list_facts({**asked, "cursor": cursor}))
            found += more
        return found

    def supersede_fact(self, fact_id: int, by: int) -> str | None:
        """The proposal's id where a person decides first."""
        return self.send(calls.supersede_fact(fact_id, by))

    def forget_fact(self, fact_id: int) -> Forgotten:
        return self.send(calls.forget_fact(fact_id))

    def forget_facts(self, scope: str, scope_id: str, *, label: str = "", content: str | None = None) -> Forgotten:
        """All of a scope id, or those of the same words."""
        return self.send(calls.forget_facts(scope, scope_id, label=label, content=content))

    def put_memory(self, agent: str, scope: str, key: str, value: Any, *, name: str = "", **marks: Any) -> Kept:
        """Keep any JSON under a key. ``name``: an idempotency key, under which it is done once. Raises TypeError and
        ValueError for what is no JSON."""
        return self.send(calls.put_memory(agent, scope, key, value, name=name, **marks))

    def get_memory(self, agent: str, scope: str, key: str) -> Memory:
        """Raises NoSuchKey; a stored null is a value."""
        return self.send(calls.get_memory(agent, scope, key, **self.read))

    def memories(self, agent: str, scope: str) -> list[Memory]:
        """All of a scope, in the order of their keys."""
        found, cursor = self.send(calls.list_memories(agent, scope, None, **self.read))
        while cursor is not None:
            more, cursor = self.send(calls.list_memories(agent, scope, cursor, **self.read))
            found += more
        return found

    def keys(self, agent: str, scope: str) -> list[str]:
        found, cursor = self.send(calls.list_keys(agent, scope, None, **self.read))
        while cursor is not None:
            more, cursor = self.send(calls.list_keys(agent, scope, cursor, **self.read))
            found += more
        return found

    def scopes(self, agent: str) -> list[str]:
        return self.send(calls.list_scopes(agent, **self.read))

    def remove_memory(self, agent: str, scope: str, key: str) -> Removed:
        """Raises NoSuchKey."""
        return self.send(calls.remove_memory(agent, scope, key))

    def clear_memories(self, agent: str, scope: str) -> Removed:
        return self.send(calls.clear_memories(agent, scope))

    def start_dream(self, scope: str, scope_id: str, *, session: str, messages: Any, name: str = "") -> Dream:
        return self.send(calls.start_dream(scope, scope_id, session=session, messages=messages, name=name))


class AsyncClient(_Settings):
    """The same for asyncio. Opens a connection pool in each event loop that it is used in, when it is used; `aclose` closes
    that of the running loop."""

    def __init__(self, url: str, api_key: str, **options: Any) -> None:
        super().__init__(url, api_key, **options)
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.aclose()

    async def send(self, call: Call[T]) -> T:
        """As `Client.send`."""
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            pool = self._pools[loop] = httpx.AsyncClient(**self._options)
        number = 0
        while True:
            number += 1
            try:
                return calls.answer(call, await pool.send(self._request(pool, call)))
            except httpx.HTTPError as broken:
                error = _failed(broken)
                cause: Exception | None = broken
            except MemoryPlaneError as told:
                error, cause = told, told.__cause__  # type: ignore[assignment]
            wait = self._wait(call, error, number)
            if wait is None:
                raise error from cause
            await asyncio.sleep(wait)

    async def check(self) -> dict[str, Any]:
        return await self.send(calls.check())

    async def add_fact(self, content: str, **marks: Any) -> Added:
        return await self.send(calls.add_fact(content, **marks))

    async def get_fact(self, fact_id: int) -> Fact:
        return await self.send(calls.get_fact(fact_id))

    async def facts(self, *, limit: int | None = None, **params: str) -> list[Fact]:
        size = str(calls.PAGE if limit is None else min(limit, calls.PAGE))
        asked = {**self.read, **params, "limit": size}
        found, cursor = await self.send(calls.list_facts(asked))
        while cursor is not None and (limit is None or sum(not one.waits for one in found) < limit):
            more, cursor = await self.send(calls.list_facts({**asked, "cursor": cursor}))
            found += more
        return found

    async def supersede_fact(self, fact_id: int, by: int) -> str | None:
        return await self.send(calls.supersede_fact(fact_id, by))

    async def forget_fact(self, fact_id: int) -> Forgotten:
        return await self.send(calls.forget_fact(fact_id))

    async def forget_facts(
        self, scope: str, scope_id: str, *, label: str = "", content: str | None = None
    ) -> Forgotten:
        return await self.send(calls.forget_facts(scope, scope_id, label=label, content=content))

    async def put_memory(self, agent: str, scope: str, key: str, value: Any, *, name: str = "", **marks: Any) -> Kept:
        return await self.send(calls.put_memory(agent, scope, key, value, name=name, **marks))

    async def get_memory(self, agent: str, scope: str, key: str) -> Memory:
        return await self.send(calls.get_memory(agent, scope, key, **self.read))

    async def memories(self, agent: str, scope: str) -> list[Memory]:
        found, cursor = await self.send(calls.list_memories(agent, scope, None, **self.read))
        while cursor is not None:
            more, cursor = await self.send(calls.list_memories(agent, scope, cursor, **self.read))
            found += more
        return found

    async def keys(self, agent: str, scope: str) -> list[str]:
        found, cursor = await self.send(calls.list_keys(agent, scope, None, **self.read))
        while cursor is not None:
            more, cursor = await self.send(calls.list_keys(agent, scope, cursor, **self.read))
            found += more
        return found

    async def scopes(self, agent: str) -> list[str]:
        return await self.send(calls.list_scopes(agent, **self.read))

    async def remove_memory(self, agent: str, scope: str, key: str) -> Removed:
        return await self.send(calls.remove_memory(agent, scope, key))

    async def clear_memories(self, agent: str, scope: str) -> Removed:
        return await self.send(calls.clear_memories(agent, scope))

    async def start_dream(self, scope: str, scope_id: str, *, session: str, messages: Any, name: str = "") -> Dream:
        return await self.send(calls.start_dream(scope, scope_id, session=session, messages=messages, name=name))
