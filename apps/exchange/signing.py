"""How a receiver knows that a message is ours: Standard Webhooks (https://www.standardwebhooks.com), symmetric.

A secret is 32 random bytes, written `whsec_` and their base64; it is shown once and kept sealed.
"""

import base64
import hashlib
import hmac
import os

from apps.core import sealing

PREFIX = "whsec_"


def new_secret() -> str:
    return PREFIX + base64.b64encode(os.urandom(32)).decode()


def seal(*secrets: str) -> bytes:
    return sealing.seal(" ".join(secrets).encode(), use=sealing.WEBHOOKS)


def unseal(token: bytes | memoryview) -> list[str]:
    """Raises cryptography's InvalidToken when SECRET_KEY has changed since."""
    return sealing.unseal(bytes(token), use=sealing.WEBHOOKS).decode().split()


def signature(secrets: list[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The header's value: a signature by each secret, so that either verifies it while one takes over from the other."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_digest(secret, signed)}" for secret in secrets)


def _digest(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
