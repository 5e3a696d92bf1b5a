"""Encryption of packages, under a key outside the database: a dump of it tells nobody what somebody was told."""

import base64
import hashlib

from cryptography.fernet import Fernet
from django.conf import settings


def seal(content: bytes) -> bytes:
    """As a token that only this installation opens."""
    return _box().encrypt(content)


def unseal(token: bytes) -> bytes:
    """What was sealed. Raises cryptography's InvalidToken when SECRET_KEY has changed since."""
    return _box().decrypt(token)


def _box() -> Fernet:
    key = hashlib.blake2b(b"memoryplane.packages", digest_size=32, key=settings.SECRET_KEY.encode()[:64]).digest()
    return Fernet(base64.urlsafe_b64encode(key))
