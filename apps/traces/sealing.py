"""Encryption of what may not be stored before it was screened. The key lies outside the database."""

import base64
import hashlib
import json
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings


def seal(payload: dict[str, Any]) -> bytes:
    """The payload as a token that only this installation opens."""
    return _box().encrypt(json.dumps(payload, separators=(",", ":")).encode())


def unseal(token: bytes) -> dict[str, Any]:
    """What was sealed. Raises cryptography's InvalidToken when SECRET_KEY has changed since."""
    payload: dict[str, Any] = json.loads(_box().decrypt(token))
    return payload


def _box() -> Fernet:
    key = hashlib.blake2b(b"memoryplane.sealed-spans", digest_size=32, key=settings.SECRET_KEY.encode()[:64]).digest()
    return Fernet(base64.urlsafe_b64encode(key))
