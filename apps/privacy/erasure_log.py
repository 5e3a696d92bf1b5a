"""The log of what was erased, outside the database: a restored backup is brought up to date from it.

One JSON line a tombstone: project, kind, keyed digest, until when what was observed is barred. No name, no text; without
the key it says nothing. Appended and synced before the first row is destroyed, so that no backup is older than what it
does not know of.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from apps.core.transactions import unit

PIECE = 1_000


@dataclass(frozen=True)
class Entry:
    project_id: int
    kind: str
    digest: bytes
    key_version: int
    until: datetime
    permanent: bool


def write_log() -> int:
    """Append every tombstone that is in no log yet; returns how many. A crash in between writes some twice, none never."""
    written = 0
    while True:
        with unit(), connection.cursor() as cursor:
            cursor.execute("SELECT * FROM log_tombstones(%s)", [PIECE])
            rows = [Entry(row[0], row[1], bytes(row[2]), *row[3:]) for row in cursor.fetchall()]
            if not rows:
                return written
            _append(settings.ERASURE_LOG, rows)
        written += len(rows)


def read_log(path: Path) -> Iterator[Entry]:
    """Every entry of a log. Raises ValueError naming the line that is none, but for a last one that was cut short."""
    with path.open(encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            yield Entry(
                int(given["project"]),
                str(given["kind"]),
                bytes.fromhex(given["digest"]),
                int(given["key_version"]),
                datetime.fromisoformat(given["until"]),
                bool(given["permanent"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                return
            raise ValueError(f"Line {number} of {path.name} is no entry of an erasure log.") from error


def _append(path: Path, rows: list[Entry]) -> None:
    text = "".join(
        json.dumps(
            {
                "project": row.project_id,
                "kind": row.kind,
                "digest": row.digest.hex(),
                "key_version": row.key_version,
                "until": row.until.isoformat(),
                "permanent": row.permanent,
            }
        )
        + "\n"
        for row in rows
    )
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, text.encode())
        os.fsync(handle)
    finally:
        os.close(handle)
