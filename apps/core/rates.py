"""How often something may happen in a minute, counted in Redis, so that any number of processes agree."""

import time
from typing import Any

import structlog
from django.core.cache import caches
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

SECONDS = 60
AWAY_SECONDS = 5.0
"""For how long a Redis that failed is not asked again: one that hangs would hold each request for its time-out."""

# By the second, on the clock of Redis. What is refused is not counted, so that whoever goes on asking gets through as soon
# as there is room. Answers with the whole seconds until then, 0 for now.
SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
local limit, span = tonumber(ARGV[1]), tonumber(ARGV[2])
local counted, spent, kept = redis.call('HGETALL', KEYS[1]), 0, {}
for i = 1, #counted, 2 do
  local at = tonumber(counted[i])
  if at <= now - span then
    redis.call('HDEL', KEYS[1], counted[i])
  else
    spent = spent + tonumber(counted[i + 1])
    kept[#kept + 1] = {at, tonumber(counted[i + 1])}
  end
end
if spent < limit then
  redis.call('HINCRBY', KEYS[1], now, 1)
  redis.call('EXPIRE', KEYS[1], span + 1)
  return 0
end
table.sort(kept, function(a, b) return a[1] < b[1] end)
for _, one in ipairs(kept) do
  spent = spent - one[2]
  if spent < limit then return math.max(1, one[1] + span - now) end
end
return span
"""

_away_until = 0.0


def spend(name: str, limit: int) -> int:
    """Count one of at most ``limit`` within sixty seconds, by the second; returns 0, or when there is no room the whole
    seconds until there is, and then nothing is counted.

    With Redis away everything passes, which is logged once until it is back: a limit guards against a client that runs
    wild, and is no reason to tell agents nothing. Who may ask at all is not decided here.
    """
    global _away_until
    if _away_until and time.monotonic() < _away_until:
        return 0
    try:
        wait = int(_client().eval(SCRIPT, 1, f"rate:{name}", limit, SECONDS))
    except RedisError as error:
        if not _away_until:
            log.warning("rates_not_counted", error=type(error).__name__)
        _away_until = time.monotonic() + AWAY_SECONDS
        return 0
    if _away_until:
        _away_until = 0.0
        log.warning("rates_counted_again")
    return wait


def _client() -> Any:
    cache: Any = caches["default"]  # the client below is not in the stubs
    return cache._cache.get_client(None, write=True)
