"""A table as CSV: which column is what, a person says; of our own export we know."""

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.core.errors import Invalid
from apps.core.text import storable
from apps.exchange.incoming import Incoming, Unfit
from apps.exchange.readers.base import Line
from apps.exchange.readers.export import Export
from apps.exchange.readers.lines import not_utf8, unknown

FIELDS = [
    "content", "scope", "scope_id", "agent", "category", "attribute", "memory_type", "confidence", "importance", "sensitivity",
    "observed_at", "valid_from", "valid_to", "expires_at", "label", "key", "value", "speaker", "trust",
    "source_trace_id", "superseded_at", "retired_at", "restricted_at",
]  # fmt: skip
"""What a column may be."""
OFFERED = [
    ("content", "What it says"), ("scope_id", "About whom (id)"), ("scope", "Scope"), ("agent", "Agent"),
    ("category", "Category"), ("observed_at", "When it was said"), ("confidence", "Confidence, 0 to 1"),
    ("importance", "Importance, 0 to 1"), ("sensitivity", "Sensitivity"), ("memory_type", "Type"),
    ("valid_from", "Holds from"), ("valid_to", "Holds until"), ("expires_at", "Expires"),
]  # fmt: skip
"""Fields that a person chooses columns for; the rest come from our own export alone."""
MOST_COLUMNS = 100
WIDEST = 64 * 1024
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""


class Table:
    shape, label = "csv", "Table (CSV)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        rows = _rows(file)
        header = [name.strip() for name in next(rows, [])]
        # As a spreadsheet counts them: the header is row 1.
        for number, row in enumerate(rows, start=2):
            if not any(row):
                continue
            if len(row) > len(header):
                yield Line(number, None, "uneven")
                continue
            record = {name: _plain(cell) for name, cell in zip(header, row, strict=False) if name and cell}
            if any(_is_foreign(cell) for cell in record.values()):
                yield Line(number, None, "not_utf8")
            elif any(storable(cell)[1] for cell in record.values()):
                yield Line(number, None, "unstorable")
            else:
                yield Line(number, record)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        chosen = columns.get("columns") or {}
        found = {field: record[name] for field, name in chosen.items() if record.get(name)}
        found.setdefault("scope", columns.get("scope") or "user")
        if columns.get("scope_id"):
            found.setdefault("scope_id", columns["scope_id"])
        if found["scope"] == "agent":
            found.setdefault("scope_id", found.get("agent", ""))
        if found.get("trust"):
            found["trust"] = int(found["trust"]) if found["trust"].isdecimal() else 9
        # A cell can't say which JSON it was: what was a value under a key comes back from JSON Lines alone.
        if found.get("key"):
            raise Unfit("needs_lines")
        if not found.get("content"):
            raise Unfit("blank")
        return Export().said(found, {})


def header_of(file: BinaryIO) -> list[str]:
    """The names of the columns. Raises Invalid: ``unknown_shape`` where it is no table, ``header`` where two are the same."""
    header = [name.strip() for name in next(_rows(file), [])]
    if not any(header) or len(header) > MOST_COLUMNS:
        raise unknown()
    named = [name for name in header if name]
    if len(named) != len(set(named)):
        raise Invalid("header", "Two columns of the table have the same name.", pointer="/file")
    if any(_is_foreign(name) for name in named):
        raise not_utf8()
    if any(storable(name)[1] or len(name) > 200 for name in named):
        raise unknown()
    return named


def _is_foreign(said: str) -> bool:
    """Whether bytes stand in it that are no UTF-8: the file is read with each of them as half a surrogate pair."""
    return any("\udc80" <= character <= "\udcff" for character in said)


def guessed(header: list[str]) -> dict[str, str]:
    """Columns whose names say what they are: all, where it is our own export."""
    names = {name.lower(): name for name in header}
    if {"content", "scope", "scope_id"} <= set(names):
        return {field: names[field] for field in FIELDS if field in names}
    also = {
        "content": ("content", "memory", "fact", "text", "statement"),
        "scope_id": ("scope_id", "user_id", "user", "subject"),
        "agent": ("agent", "agent_id"),
        "category": ("category",),
        "observed_at": ("observed_at", "created_at", "date"),
        "confidence": ("confidence",),
        "importance": ("importance",),
    }
    return {field: names[one] for field, ways in also.items() for one in ways[::-1] if one in names}


def _rows(file: BinaryIO) -> Iterator[list[str]]:
    file.seek(0)
    wrapped = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        start = wrapped.read(8192)
        first = start.splitlines()[0] if start else ""
        wrapped.seek(0)
        # By the header alone: a comma in a sentence is no sign.
        delimiter = max(",;\t|", key=first.count)
        csv.field_size_limit(WIDEST)
        try:
            yield from csv.reader(wrapped, delimiter=delimiter)
        except csv.Error:
            raise Invalid(
                "broken_file", "The table breaks off, or a cell of it is over 64 KB long.", pointer="/file"
            ) from None
    finally:
        wrapped.detach()


def _plain(cell: str) -> str:
    """Without the apostrophe that our export puts before what a spreadsheet would take for a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].lstrip().startswith(FORMULA) else cell
