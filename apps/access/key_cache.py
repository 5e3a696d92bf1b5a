"""Keys that this process verified a moment ago, so that a busy agent's reads need no look at their key's row each.

What the database says of a key holds here for `SECONDS` at most: a revoked key, or one with other grants, is dead in
every process within that time. A key is found by a keyed hash of its text, which itself is never kept; keys that were
not found to be good leave no trace, so that trying many pushes none out.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from threading import Lock

from apps.access.models import ApiKey

SECONDS = 3.0
MOST = 4096

_lock = Lock()
# Only this process' own, so that the stored hashes' pepper need not be used for each request.
_secret = secrets.token_bytes(32)
# By hash: the key and since when this is known; the oldest knowledge first.
_known: OrderedDict[bytes, tuple[ApiKey, float]] = OrderedDict()


def clock() -> float:
    """Seconds that never go back. What is put in is dated by this, before the database is asked."""
    return time.monotonic()


def get(text: str) -> ApiKey | None:
    """The key of this text if it was verified less than `SECONDS` ago. It is shared by all threads: to be read only."""
    entry = _known.get(_hash(text))
    if entry is None or clock() - entry[1] >= SECONDS:
        return None
    return entry[0]


def put(text: str, key: ApiKey, since: float) -> None:
    """Remember a verified key as it was at ``since``, a time of `clock`."""
    name = _hash(text)
    with _lock:
        _known[name] = (key, since)
        _known.move_to_end(name)
        while _known and (len(_known) > MOST or since - next(iter(_known.values()))[1] >= SECONDS):
            _known.popitem(last=False)


def drop(key_id: int) -> None:
    """Forget a key. Other processes have it for the rest of their `SECONDS`."""
    with _lock:
        for name in [name for name, (key, _) in _known.items() if key.id == key_id]:
            del _known[name]


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), key=_secret, digest_size=32).digest()
