"""Keyed digests by which a forgotten statement or subject is recognised without keeping it."""

import hmac
import unicodedata
from collections.abc import Set
from datetime import datetime

from django.conf import settings
from django.db import connection

from apps.core.text import normalise
from apps.tenancy.models import Tombstone

KEY_VERSION = 1


def subject_digest(project_id: int, kind: str, external_id: str) -> bytes:
    """32 bytes; the key lies outside the database, or an e-mail address could be found by trying. Ids are literal, so
    ``User_1`` is not ``user_1``; only an address is the same in any case."""
    name = normalise(external_id) if "@" in external_id else unicodedata.normalize("NFKC", external_id.strip())
    return _digest(project_id, "subject", kind, name)


def trace_digest(project_id: int, trace_id: str) -> bytes:
    """32 bytes of an erased conversation, so that it does not come back span by span, with nobody's name on it."""
    return _digest(project_id, "trace", trace_id)


def project_digest(project_id: int) -> bytes:
    """32 bytes that stand for everything a project held when it was wiped."""
    return _digest(project_id, "project")


def fact_digest(project_id: int, scope: str, scope_id: str, content: str) -> bytes:
    """32 bytes over the scope and the normalised statement."""
    return _digest(project_id, "fact", scope, scope_id, normalise(content))


def buried(
    project_id: int, digests: list[tuple[bytes, datetime]], *, ever: Set[bytes] = frozenset()
) -> set[tuple[bytes, datetime]]:
    """Those of ``digests`` whose statement, observed at the given time, may not be learned again: because of themselves, or
    because the whole project was wiped since. Of those that are among ``ever`` the time doesn't count."""
    everything = project_digest(project_id)
    rows = Tombstone.objects.filter(
        project_id=project_id, key_version=KEY_VERSION, digest__in=[everything, *(digest for digest, _ in digests)]
    )
    limits = {bytes(row.digest): (row.permanent, row.blocks_observed_before) for row in rows}
    _, wiped_at = limits.get(everything, (False, None))
    return {
        (digest, observed_at)
        for digest, observed_at in digests
        if (wiped_at is not None and observed_at <= wiped_at)
        or (digest in limits and (digest in ever or limits[digest][0] or observed_at <= limits[digest][1]))
    }


def bury(project_id: int, kind: str, digests: set[bytes], *, until: datetime, permanent: bool = False) -> None:
    """Have what these digests stand for not be learned again when it was observed until then, or, of a person who
    objected, ever. A later cut-off wins, and what is permanent stays so."""
    # In one order, or two that bury the same would wait for each other.
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tenancy_tombstone (project_id, kind, digest, key_version, blocks_observed_before, permanent, created_at)"
            " SELECT %s, %s, d, %s, %s, %s, %s FROM unnest(%s::bytea[]) d ORDER BY d"
            " ON CONFLICT (project_id, kind, key_version, digest) DO UPDATE SET"
            " blocks_observed_before = greatest(tenancy_tombstone.blocks_observed_before, excluded.blocks_observed_before),"
            " permanent = tenancy_tombstone.permanent OR excluded.permanent,"
            " created_at = greatest(tenancy_tombstone.created_at, excluded.created_at), logged_at = NULL",
            [project_id, kind, KEY_VERSION, until, permanent, until, sorted(digests)],
        )


def _digest(project_id: int, *parts: str) -> bytes:
    # Each project has a key of its own, so digests can't be compared across projects.
    key = hmac.digest(settings.TOMBSTONE_KEY.encode(), f"project:{project_id}".encode(), "sha256")
    message = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    return hmac.digest(key, message, "sha256")
