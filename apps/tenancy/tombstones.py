"""Keyed digests by which a forgotten statement or subject is recognised without keeping it."""

import hashlib
import hmac
from datetime import datetime

from django.conf import settings

from apps.core.text import normalise
from apps.tenancy.models import Tombstone

KEY_VERSION = 1


def subject_digest(project_id: int, kind: str, external_id: str) -> bytes:
    """32 bytes; the key lies outside the database, or an e-mail address could be found by trying."""
    return _digest(project_id, "subject", kind, normalise(external_id))


def fact_digest(project_id: int, scope: str, scope_id: str, content: str) -> bytes:
    """32 bytes over the scope and the normalised statement."""
    return _digest(project_id, "fact", scope, scope_id, normalise(content))


def buried(project_id: int, digests: list[tuple[bytes, datetime]]) -> set[bytes]:
    """Those of ``digests`` whose statement, observed at the given time, may not be learned again."""
    rows = Tombstone.objects.filter(
        project_id=project_id, key_version=KEY_VERSION, digest__in=[digest for digest, _ in digests]
    )
    limits = {bytes(row.digest): (row.permanent, row.blocks_observed_before) for row in rows}
    return {
        digest
        for digest, observed_at in digests
        if digest in limits and (limits[digest][0] or observed_at <= limits[digest][1])
    }


def _digest(project_id: int, *parts: str) -> bytes:
    # Each project has a key of its own, so digests can't be compared across projects.
    key = hmac.new(settings.TOMBSTONE_KEY.encode(), f"project:{project_id}".encode(), hashlib.sha256).digest()
    message = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    return hmac.new(key, message, hashlib.sha256).digest()
