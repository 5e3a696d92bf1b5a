"""Keys that this process verified a moment ago, so that a busy agent's reads need no look at their key's row each.

What the database says of a key holds here for `SECONDS` at most: a revoked key, or one with other grants, is dead in
every process within that time. A key is found by the HMAC of its text, which is never kept; keys that were not found
to be good leave no trace, so that trying many pushes none out.
"""

import time
from collections import OrderedDict
from threading import Lock

from apps.access.models import ApiKey

SECONDS = 3.0
MOST = 4096

_lock = Lock()
# By secret hash: the key and since when this is known; the oldest knowledge first.
_known: OrderedDict[bytes, tuple[ApiKey, float]] = OrderedDict()


def clock() -> float:
    """Seconds that never go back. What is put in is dated by this, before the database is asked."""
    return time.monotonic()


def get(secret_hash: bytes) -> ApiKey | None:
    """The key with this hash if it was verified less than `SECONDS` ago. It is shared by all threads: to be read only."""
    entry = _known.get(secret_hash)
    if entry is None or clock() - entry[1] >= SECONDS:
        return None
    return entry[0]


def put(secret_hash: bytes, key: ApiKey, since: float) -> None:
    """Remember a verified key as it was at ``since``, a time of `clock`."""
    with _lock:
        _known[secret_hash] = (key, since)
        _known.move_to_end(secret_hash)
        while _known and (len(_known) > MOST or since - next(iter(_known.values()))[1] >= SECONDS):
            _known.popitem(last=False)


def drop(key_id: int) -> None:
    """Forget a key. Other processes have it for the rest of their `SECONDS`."""
    with _lock:
        for secret_hash in [known for known, (key, _) in _known.items() if key.id == key_id]:
            del _known[secret_hash]
