"""What a reader is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from apps.exchange.incoming import Incoming


@dataclass(frozen=True)
class Line:
    """One record of a file, numbered from 1 as a person would count, or the ``fault`` for which it can't be read."""

    number: int
    record: dict[str, Any] | None
    fault: str = ""


class Reader(Protocol):
    """``shape`` is its code, ``label`` its name for people."""

    shape: str
    label: str

    def read(self, file: BinaryIO) -> Iterator[Line]:
        """Every record of the file. Raises Invalid ``nothing_in_it`` or ``unknown_shape`` for a file that is none."""
        ...

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        """What a record says. ``columns`` is what a person chose for a table. Raises Unfit."""
        ...
