"""Encryption of what may lie in the database but be read by nobody there. The keys lie outside, one for each use."""

import base64
import hashlib

from cryptography.fernet import Fernet
from django.conf import settings

SPANS, PACKAGES, WEBHOOKS = "sealed-spans", "packages", "webhooks"
SECOND_STEP, INVITATIONS = "second-step", "invitations"


def seal(content: bytes, *, use: str) -> bytes:
    """As a token that only this installation opens, and only for the same use."""
    return _box(use).encrypt(content)


def unseal(token: bytes, *, use: str) -> bytes:
    """What was sealed. Raises cryptography's InvalidToken when SECRET_KEY has changed since."""
    return _box(use).decrypt(token)


def _box(use: str) -> Fernet:
    key = hashlib.blake2b(f"memoryplane.{use}".encode(), digest_size=32, key=settings.SECRET_KEY.encode()[:64]).digest()
    return Fernet(base64.urlsafe_b64encode(key))
