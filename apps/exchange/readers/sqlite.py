"""SQLite files: fastaiagent's local.db and Flux's memory. The file is a stranger's: it is opened to be read, and never run."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.core.errors import Invalid
from apps.exchange.incoming import Incoming
from apps.exchange.readers import keyed, learned
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import LONGEST, checked, unknown

MAGIC = b"SQLite format 3\x00"


class LocalDb:
    shape, label = "fastaiagent", "fastaiagent local.db (SQLite)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return rows(file, "learned_memory", learned.COLUMNS, "id")

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        return learned.said(record)


class FluxFile:
    shape, label = "flux", "Flux long-term memory (SQLite)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        return rows(file, "memory", keyed.COLUMNS, "agent, scope, key")

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        return keyed.said(record)


def rows(file: BinaryIO, table: str, columns: list[str], order: str) -> Iterator[Line]:
    """The rows of a table of that file."""
    with opened(file) as connection:
        try:
            found = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")  # noqa: S608
            for number, row in enumerate(found, start=1):
                yield _line(number, dict(zip(columns, row, strict=True)))
        except (sqlite3.DatabaseError, OverflowError):
            raise Invalid("broken_file", "The database in this file is damaged.", pointer="/file") from None


def _line(number: int, record: dict[str, Any]) -> Line:
    """A cell holds whatever somebody put there, of any size, under a column of any name."""
    if any(isinstance(cell, bytes) for cell in record.values()):
        return Line(number, None, "wrong_type")
    if sum(len(cell) for cell in record.values() if isinstance(cell, str)) > LONGEST:
        return Line(number, None, "too_long_line")
    return checked(number, record)


def shape_of(file: BinaryIO) -> str:
    """Which of the two it is. Raises Invalid ``unknown_shape``."""
    with opened(file) as connection:
        for shape, table, columns in (
            (LocalDb.shape, "learned_memory", learned.COLUMNS),
            (FluxFile.shape, "memory", keyed.COLUMNS),
        ):
            try:
                # Real tables alone: a view could be made to compute for ever.
                is_table = connection.execute(
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'",
                    [table],
                ).fetchone()
                there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            except sqlite3.DatabaseError:
                raise unknown() from None
            if is_table and set(columns) <= there:
                return shape
    raise unknown()


class opened:
    """The database in a stream, read-only, with nothing in it trusted."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def __enter__(self) -> sqlite3.Connection:
        self.copy = tempfile.NamedTemporaryFile(suffix=".db")
        self.file.seek(0)
        shutil.copyfileobj(self.file, self.copy)
        self.copy.flush()
        self.connection = sqlite3.connect(f"file:{self.copy.name}?mode=ro&immutable=1", uri=True)
        self.connection.execute("PRAGMA trusted_schema = OFF")
        self.connection.execute("PRAGMA query_only = ON")
        # Text that is not UTF-8 is a fault of its line and not of the file.
        self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        return self.connection

    def __exit__(self, *error: object) -> None:
        self.connection.close()
        self.copy.close()
