"""Flux's MemoryProvider over memoryplane, and a hook that has the plane dream when an agent is done.

from flux.tasks.ai import agent
from flux.tasks.ai.memory import long_term_memory, working_memory
from memoryplane_client import AsyncClient
from memoryplane_client.flux import MemoryProvider, dream

plane = AsyncClient("https://plane.example.org", "mp_…")
ltm = long_term_memory(provider=MemoryProvider(plane), agent="assistant", scope="user:123")
wm = working_memory(window=50)
assistant = await agent("…", name="assistant", model="…", working_memory=wm, long_term_memory=ltm,
                        on_complete=[dream(plane, working_memory=wm, long_term_memory=ltm)])
"""

import asyncio
import hashlib
import json
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from flux.domain.execution_context import ExecutionContext
from flux.errors import ExecutionError

from memoryplane_client.client import AsyncClient
from memoryplane_client.errors import MemoryPlaneError, NoSuchKey, StillKept

T = TypeVar("T")
log = logging.getLogger(__name__)
_ROLES = {"user", "assistant", "tool_call", "tool_result", "reasoning"}
LONGEST = 200_000
MOST = 1_000


class MemoryProvider:
    """The five methods of the protocol. What the plane refuses comes as Flux's ExecutionError, whose text the model reads.

    With an API key that proposes, what is written waits for a person and is read back by this key alone; with
    ``say_waiting`` the model is told so, as an error, though it was kept. ``timeout`` is for each call, tries included, in
    seconds.
    """

    def __init__(self, client: AsyncClient, *, timeout: float = 20.0, say_waiting: bool = False) -> None:
        self.client = client
        self.timeout = timeout
        self.say_waiting = say_waiting

    async def memorize(self, agent: str, scope: str, key: str, value: Any) -> None:
        """Raises TypeError for what is no JSON, before anything is sent."""
        done = await self._ask(self.client.put_memory(agent, scope, key, value, name=uuid.uuid4().hex))
        if self.say_waiting and done.state in {"waiting", "held"}:
            raise ExecutionError(message="Kept for review: a person looks at it before it is used.")

    async def recall(self, agent: str, scope: str, key: str | None = None) -> Any:
        """The value or None; without a key all of them."""
        if key is None:
            return {one.key: one.value for one in await self._ask(self.client.memories(agent, scope))}
        try:
            return (await self._ask(self.client.get_memory(agent, scope, key))).value
        except NoSuchKey:
            return None

    async def forget(self, agent: str, scope: str, key: str | None = None) -> None:
        """One key, or without one all of the scope; what a person answers for stays, and then this fails."""
        if key is None:
            done = await self._ask(self.client.clear_memories(agent, scope))
            if done.kept:
                raise _told(StillKept(f"{done.kept} memories stay: a person answers for them.", code="still_kept"))
            return
        try:
            await self._ask(self.client.remove_memory(agent, scope, key))
        except NoSuchKey:
            return

    async def keys(self, agent: str, scope: str) -> list[str]:
        """By code point."""
        return await self._ask(self.client.keys(agent, scope))

    async def scopes(self, agent: str) -> list[str]:
        return await self._ask(self.client.scopes(agent))

    async def aclose(self) -> None:
        await self.client.aclose()

    async def _ask(self, asked: Awaitable[T]) -> T:
        try:
            return await asyncio.wait_for(asked, self.timeout)
        except NoSuchKey:
            raise
        except MemoryPlaneError as error:
            raise _told(error) from error
        except TimeoutError as error:
            raise ExecutionError(error, message="The memory service did not answer in time.") from error


def _told(error: MemoryPlaneError) -> ExecutionError:
    return ExecutionError(error, message=str(error))


def dream(
    client: AsyncClient,
    *,
    working_memory: Any,
    long_term_memory: Any,
    session: str | None = None,
    timeout: float = 20.0,
) -> Callable[[str, Any], Awaitable[None]]:
    """A hook for ``on_complete``: the plane reads what was said and proposes changes to what is remembered.

    The run is over the place of ``long_term_memory``. ``session`` names the conversation; None: the execution. What a hook
    repeats starts nothing twice. Nothing here stops the agent: what fails is logged.
    """

    async def hook(agent_id: str, value: Any) -> None:
        try:
            messages = [_message(one) for one in working_memory.recall()][-MOST:]
            messages = [one for one in messages if one is not None]
            context = await ExecutionContext.get()
            named = session or f"flux:{context.execution_id}"
            scope, scope_id = _place(long_term_memory.agent, long_term_memory.scope)
            said = hashlib.sha256(json.dumps(messages, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[
                :40
            ]
            started = client.start_dream(
                scope,
                scope_id,
                session=named,
                messages=messages,
                name=f"{context.execution_id}:{agent_id}:{said}"[:200],
            )
            await asyncio.wait_for(started, timeout)
        except Exception as error:  # the agent's answer is there: nothing that happens here may take it away
            log.warning(
                "The dream was not started: %s",
                type(error).__name__ if not isinstance(error, MemoryPlaneError) else error,
            )

    return hook


def _message(one: Any) -> dict[str, str] | None:
    """As the plane takes it; None for a role it does not know."""
    role, content = str(one.get("role", "")), one.get("content", "")
    if role not in _ROLES:
        return None
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {"role": role, "content": text[:LONGEST]}


def _place(agent: str, scope: str) -> tuple[str, str]:
    kind, colon, name = scope.strip().partition(":")
    return (kind, name.strip()) if colon and kind in {"user", "session"} else ("other", scope.strip())
