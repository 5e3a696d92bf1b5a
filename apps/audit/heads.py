"""The heads of the chains in a second place, outside the database: who can rewrite the one can't rewrite the other.

A chain alone does not tell that its end was cut off together with its head, nor that all of it was written anew by somebody
who has the key. A file beside it does: one JSON line a head, appended and synced, with a code under the audit key. It holds
numbers and hashes, and says nothing of anybody.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from django.conf import settings
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import unit


@dataclass(frozen=True)
class Head:
    """Where a chain ended at a moment; no project is the installation."""

    project_id: int | None
    seq: int
    hash: bytes
    at: datetime


def heads() -> list[tuple[int | None, int]]:
    """Every chain there is, with the number of its last event; the installation's first."""
    with unit(), connection.cursor() as cursor:
        cursor.execute("SELECT project_id, seq FROM audit_heads()")
        return cursor.fetchall()


def write_heads() -> int:
    """Append each head that moved since it was last written, all of them where there is no file yet; returns how many.
    A crash in between writes some twice, none never. Raises OSError."""
    path, at = settings.AUDIT_HEADS, now()
    everything = not path.exists()
    with unit(), connection.cursor() as cursor:
        cursor.execute("SELECT project_id, seq, hash FROM audit_heads() WHERE %s OR seq > signed_seq", [everything])
        moved = [Head(project_id, seq, bytes(digest), at) for project_id, seq, digest in cursor.fetchall()]
        if moved:
            _append(path, moved)
        for head in moved:
            cursor.execute("SELECT note_signed_head(%s, %s)", [head.project_id, head.seq])
    return len(moved)


def read_heads(path: Path) -> Iterator[tuple[int, Head | None]]:
    """Each line's number with its head, None for a line that nobody with the key wrote. A last line that was cut short by
    a crash is left out. Raises OSError."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n") and line.strip():
                yield number, _head(line)


def signed_heads(project_id: int | None, path: Path | None = None) -> Mapping[int, bytes]:
    """Hashes by number that the second place has of one chain; nothing where it can't be read from here."""
    path = path or settings.AUDIT_HEADS
    try:
        state = path.stat()
    except OSError:
        return {}
    return _of_chain(path, project_id, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=32)
def _of_chain(path: Path, project_id: int | None, changed: int, size: int) -> Mapping[int, bytes]:
    found = (head for _, head in read_heads(path) if head is not None and head.project_id == project_id)
    return MappingProxyType({head.seq: head.hash for head in found})


def _append(path: Path, moved: list[Head]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # a crash cut the last one short
                file.write(b"\n")
        file.write(b"".join(_line(head) for head in moved))
        file.flush()
        os.fsync(file.fileno())


def _line(head: Head) -> bytes:
    fields = {
        "at": head.at.isoformat(timespec="microseconds"),
        "hash": head.hash.hex(),
        "project": head.project_id,
        "seq": head.seq,
    }
    return json.dumps({**fields, "mac": _mac(fields)}).encode() + b"\n"


def _head(line: bytes) -> Head | None:
    try:
        fields = json.loads(line)
        mac = fields.pop("mac")
        if not hmac.compare_digest(_mac(fields), mac):
            return None
        at = datetime.fromisoformat(fields["at"])
        return Head(fields["project"], fields["seq"], bytes.fromhex(fields["hash"]), at)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _mac(fields: Mapping[str, object]) -> str:
    plain = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    return hmac.new(settings.AUDIT_KEY.encode(), b"audit-head\n" + plain, hashlib.sha256).hexdigest()
