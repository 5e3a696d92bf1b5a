"""JSON that is read piece by piece: an object a line, or the items of one long list in a document."""

import json
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from apps.core.errors import DomainError, Invalid
from apps.core.strict_json import lenient_loads
from apps.core.text import storable_json
from apps.exchange.readers.base import Line

LONGEST = 64 * 1024
"""Bytes of a record. A fact holds 2,000 characters."""
DEEPEST = 16
PIECE = 64 * 1024
MOST_BESIDE = 4 * 1024 * 1024
"""Bytes that may stand beside the list in a document."""
_BOM = b"\xef\xbb\xbf"


def objects(file: BinaryIO) -> Iterator[Line]:
    """An object of each line that is not empty."""
    number = 0
    while piece := file.readline(LONGEST + 1):
        number += 1
        if len(piece) > LONGEST and not piece.endswith(b"\n"):
            while (rest := file.readline(PIECE)) and not rest.endswith(b"\n"):
                pass
            yield Line(number, None, "too_long_line")
            continue
        if number == 1:
            piece = piece.removeprefix(_BOM)
        if piece.strip():
            yield parsed(number, piece)


def parsed(number: int, piece: bytes) -> Line:
    """The object in some bytes, or the fault for which there is none."""
    try:
        piece.decode()
    except UnicodeDecodeError:
        return Line(number, None, "not_utf8")
    try:
        value = lenient_loads(piece, max_bytes=LONGEST + 1, max_depth=DEEPEST)
    except DomainError as error:
        return Line(number, None, "too_deep" if error.code == "too_deep" else "not_json")
    return checked(number, value)


def checked(number: int, value: Any) -> Line:
    """The same of a value that was parsed."""
    if not isinstance(value, dict):
        return Line(number, None, "not_an_object")
    if is_deep(value):
        return Line(number, None, "too_deep")
    value, replaced = storable_json(value)
    return Line(number, None, "unstorable") if replaced else Line(number, value)


def is_deep(value: Any) -> bool:
    """Whether lists and objects stand in one another further than DEEPEST: what is written later would not bear any depth."""
    layer = [value]
    for _ in range(DEEPEST):
        layer = [
            part
            for one in layer
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not layer:
            return False
    return any(isinstance(one, dict | list) for one in layer)


def items(file: BinaryIO, wrappers: Collection[str]) -> Iterator[Line]:
    """Objects of the list that a document is, or that stands in it under one of the ``wrappers``; the rest of the document
    is passed over. Raises Invalid ``unknown_shape`` where there is no such list, or the document breaks off."""
    document = _Document(file)
    if document.peek() == "[":
        yield from document.list()
        return
    if document.peek() != "{":
        raise unknown()
    found = False
    document.take()
    while document.peek() == '"':
        name = document.value()
        document.take(":")
        if name in wrappers and document.peek() == "[" and not found:
            found = True
            yield from document.list()
        else:
            document.value()
        if document.peek() == ",":
            document.take()
    document.take("}")
    if not found:
        raise unknown()


def unknown() -> Invalid:
    """The refusal of a file whose shape nobody knows."""
    return Invalid(
        "unknown_shape",
        "This is none of the files that can be brought in. Nothing was taken in.",
        pointer="/file",
    )


def not_utf8() -> Invalid:
    """The refusal of a file in another encoding."""
    return Invalid(
        "not_utf8",
        "This file is not text in UTF-8. Save it again as UTF-8 (a spreadsheet calls it “CSV UTF-8”). Nothing was taken in.",
        pointer="/file",
    )


class _Document:
    """A text of which only as much is held as one value takes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._bytes = b""
        self._held = ""
        self._at = 0
        self._more = True
        self._decoder = json.JSONDecoder(strict=False)
        self._count = 0

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            while self._at < len(self._held) and self._held[self._at] in " \t\r\n\ufeff":
                self._at += 1
            if self._at < len(self._held) or not self._fill():
                return self._held[self._at : self._at + 1]

    def take(self, wanted: str = "") -> None:
        """Pass one character."""
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise unknown()
        self._at += 1

    def value(self, most: int = MOST_BESIDE) -> Any:
        """The next value. One that is longer than ``most`` ends the reading."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except RecursionError:
                raise unknown() from None
            except ValueError:
                if len(self._held) - self._at > most or not self._fill():
                    raise unknown() from None
                continue
            # A number at the end of what is held may go on.
            if end < len(self._held) or not self._fill():
                self._at = end
                return value

    def list(self) -> Iterator[Line]:
        """Its items, one after another."""
        self.take("[")
        while self.peek() != "]":
            self._count += 1
            value = self.value(LONGEST * 4)
            yield checked(self._count, value)
            if self.peek() == ",":
                self.take()
            elif self.peek() != "]":
                raise unknown()
        self.take("]")

    def _fill(self) -> bool:
        if not self._more:
            return False
        piece = self._file.read(PIECE)
        self._more = bool(piece)
        self._bytes += piece
        # A character may be cut in two by the end of a piece.
        cut = len(self._bytes) if not piece else _whole(self._bytes)
        try:
            said = self._bytes[:cut].decode()
        except UnicodeDecodeError:
            raise unknown() from None
        self._bytes = self._bytes[cut:]
        self._held, self._at = self._held[self._at :] + said, 0
        return True


def _whole(data: bytes) -> int:
    """How many of the bytes are whole characters of UTF-8."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return len(data)
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if length <= back else len(data) - back
    return len(data)
