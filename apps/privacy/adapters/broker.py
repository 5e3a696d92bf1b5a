"""What lies in Redis, as text: messages of the queue, results, cache entries."""

import base64
import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from redis import Redis

# Celery's messages carry their arguments in base64.
_BODY = re.compile(rb'"body": ?"([A-Za-z0-9+/=]+)"')


def everything() -> Iterator[str]:
    """One text a key: its name and all it holds. Raises redis.exceptions.RedisError."""
    client: Any = Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=2)
    try:
        for key in client.scan_iter(count=1_000):
            parts = [key, *_values(client, key)]
            parts += [base64.b64decode(found) for part in parts for found in _BODY.findall(part)]
            yield "\n".join(part.decode(errors="replace") for part in parts)
    finally:
        client.close()


def _values(client: Any, key: bytes) -> list[bytes]:
    match client.type(key):
        case b"string":
            return [client.get(key) or b""]
        case b"list":
            return list(client.lrange(key, 0, -1))
        case b"hash":
            return [part for pair in client.hgetall(key).items() for part in pair]
        case b"set":
            return list(client.smembers(key))
        case b"zset":
            return list(client.zrange(key, 0, -1))
    return []
