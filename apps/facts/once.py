"""Writes that a client names, so that one sent twice is done once."""

import hashlib
from datetime import timedelta

from django.db import connection

from apps.core.errors import Invalid
from apps.facts.models import WrittenOnce

KEPT = timedelta(days=1)
"""How long a name is remembered."""
LONGEST = 200


def note_once(project_id: int, writer: str, name: str, asked: bytes = b"") -> tuple[WrittenOnce, bool]:
    """The note of the write that ``writer`` calls so, and whether this is the first time. The caller does the write in the
    same transaction and says on the note what it led to; a twin of it waits here until that is committed. ``asked`` is a
    digest of all that was asked for. Raises Invalid for a name that is too long, or was given to another write."""
    if len(name) > LONGEST:
        raise Invalid("too_long", f"An Idempotency-Key has at most {LONGEST} characters.")
    digest = hashlib.sha256(f"{writer}\n{name}".encode("utf-8", "surrogatepass")).digest()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO facts_writtenonce (project_id, digest, asked) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
            " RETURNING id",
            [project_id, digest, asked or None],
        )
        first = cursor.fetchone() is not None
    note = WrittenOnce.objects.get(project_id=project_id, digest=digest)
    if not first:
        require_same(note.asked, asked)
    return note, first


def require_same(before: bytes | memoryview | None, asked: bytes) -> None:
    """Raises Invalid where both are known and differ: the name stands for something else already."""
    if before and asked and bytes(before) != asked:
        raise Invalid(
            "idempotency_key_reused", "This name was given to another request before.", parameter="Idempotency-Key"
        )
