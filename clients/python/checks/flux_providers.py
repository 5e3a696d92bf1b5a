"""Providers for checks of Flux's memory, against the plane at PLANE_URL with the API key PLANE_KEY.

`provider` makes one; `Spaced` is an empty store for each new ``space``, as tests that make many stores want it.
"""

import hashlib
import os
from typing import Any

from memoryplane_client import AsyncClient
from memoryplane_client.flux import MemoryProvider


def provider() -> MemoryProvider:
    return MemoryProvider(AsyncClient(os.environ["PLANE_URL"], os.environ["PLANE_KEY"]))


class Spaced:
    """A store of its own: the agents of another ``space`` have other names on the plane."""

    def __init__(self, space: str) -> None:
        self._space = hashlib.sha256(space.encode()).hexdigest()[:16]
        self._inner = provider()

    def _agent(self, agent: str) -> str:
        return f"{self._space}-{agent}"

    async def memorize(self, agent: str, scope: str, key: str, value: Any) -> None:
        await self._inner.memorize(self._agent(agent), scope, key, value)

    async def recall(self, agent: str, scope: str, key: str | None = None) -> Any:
        return await self._inner.recall(self._agent(agent), scope, key)

    async def forget(self, agent: str, scope: str, key: str | None = None) -> None:
        await self._inner.forget(self._agent(agent), scope, key)

    async def keys(self, agent: str, scope: str) -> list[str]:
        return await self._inner.keys(self._agent(agent), scope)

    async def scopes(self, agent: str) -> list[str]:
        return await self._inner.scopes(self._agent(agent))
