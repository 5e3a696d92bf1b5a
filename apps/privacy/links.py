"""The links by which packages are fetched."""

import hashlib
from datetime import timedelta

LINK_FOR = timedelta(hours=72)
KEPT_FOR = timedelta(days=7)
"""How long a package lies there that nobody fetched."""


def token_hash(token: str) -> bytes:
    """32 bytes; the link's secret itself is kept nowhere."""
    return hashlib.sha256(token.encode()).digest()
