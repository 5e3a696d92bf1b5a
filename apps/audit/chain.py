"""How one event hangs on the one before it."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

GENESIS = b"\x00" * 32


def event_hash(event: Mapping[str, Any], previous: bytes) -> bytes:
    """HMAC-SHA-256 over the event's canonical JSON (sorted keys, UTF-8, times in UTC microseconds) and its predecessor.

    The key is kept outside the database, so that whoever can rewrite the table can't rewrite the chain.
    """
    at: datetime = event["at"]
    canonical = json.dumps(
        {**event, "at": at.isoformat(timespec="microseconds"), "prev": previous.hex()},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hmac.new(settings.AUDIT_KEY.encode(), canonical.encode(), hashlib.sha256).digest()
