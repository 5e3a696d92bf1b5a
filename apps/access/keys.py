"""The form of a key: ``mp_<8 public>_<43 secret>_<6 checksum>``, all base 62."""

import hmac
import re
from dataclasses import dataclass

from django.conf import settings

from apps.core.ids import base62, crc_base62

# For secret scanners too: whoever finds this in a repository has found a key.
KEY_PATTERN = re.compile(r"mp_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})")


@dataclass(frozen=True)
class NewKey:
    """A key as it is shown once. ``secret_hash`` is what is stored of it."""

    text: str
    public_id: str
    secret_hash: bytes


def make_key() -> NewKey:
    """256 bits from the system's secure source, and a checksum that finds typing errors without a database."""
    public_id, secret = base62(8), base62(43)
    body = f"mp_{public_id}_{secret}"
    text = f"{body}_{crc_base62(body)}"
    return NewKey(text, public_id, hash_key(text))


def hash_key(text: str) -> bytes:
    """32 bytes, HMAC-SHA-256 under the pepper. 256 random bits need no slow hash, and a slow one invites floods."""
    return hmac.digest(settings.KEY_PEPPER.encode(), text.encode(), "sha256")


def public_id_of(text: str) -> str | None:
    """The public part of a well-formed key, or None when its form or checksum is wrong."""
    match = KEY_PATTERN.fullmatch(text)
    if match is None or crc_base62(text.rpartition("_")[0]) != match.group(3):
        return None
    return match.group(1)
