"""Django's Redis cache with one client kept for each server.

Django's own makes a client, with its table of every command's answers, for each get and set: most of what they cost. A
client is safe to share: its pool hands out connections, and a fork's child gets a pool's fresh ones.
"""

from typing import Any

from django.core.cache.backends import redis


class _Clients(redis.RedisCacheClient):
    def __init__(self, *servers: Any, **options: Any) -> None:
        super().__init__(*servers, **options)
        self._kept: dict[int, Any] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        own: Any = self  # the two names below are not in the stubs
        pool = own._get_connection_pool(write)
        client = self._kept.get(id(pool))
        if client is None:
            # Two threads may both make one; either does.
            client = self._kept[id(pool)] = own._client(connection_pool=pool)
        return client


class RedisCache(redis.RedisCache):
    """For CACHES: `BACKEND: apps.core.redis_cache.RedisCache`, everything else as Django documents it."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _Clients
