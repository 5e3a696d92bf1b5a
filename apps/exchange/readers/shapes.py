"""Which file is what: looked at, never guessed from its name alone, and refused where nobody knows it."""

import json
from typing import BinaryIO

from apps.core.errors import Invalid
from apps.exchange.readers import sqlite, table
from apps.exchange.readers.base import Reader
from apps.exchange.readers.export import Export
from apps.exchange.readers.graphiti import WRAPPERS as GRAPHITI
from apps.exchange.readers.graphiti import Graphiti, GraphitiLines
from apps.exchange.readers.letta import Letta
from apps.exchange.readers.lines import LONGEST, items, not_utf8, objects, unknown
from apps.exchange.readers.mem0 import WRAPPERS as MEM0
from apps.exchange.readers.mem0 import Mem0, Mem0Lines
from apps.exchange.readers.stores import FluxTable, LearnedRedis, LearnedTable

_ALL: list[Reader] = [
    Export(), table.Table(), Mem0(), Mem0Lines(), sqlite.LocalDb(), sqlite.FluxFile(), LearnedTable(), LearnedRedis(), FluxTable(),
    Letta(), Graphiti(), GraphitiLines(),
]  # fmt: skip
READERS: dict[str, Reader] = {reader.shape: reader for reader in _ALL}
LOOKED_AT = 50
"""Lines by which a file is known: the first ones may be damaged."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""How text in UTF-16 begins, as some spreadsheets save it."""
_EXPORT = {"content", "scope", "scope_id"}
_EDGE = {"fact", "source_node_uuid", "target_node_uuid"}


def shape_of(file: BinaryIO, name: str) -> str:
    """The shape of a file. Raises Invalid ``unknown_shape``, with nothing read."""
    file.seek(0)
    start = file.read(LONGEST)
    file.seek(0)
    if start.startswith(sqlite.MAGIC):
        return sqlite.shape_of(file)
    if start.startswith(_UTF16):
        raise not_utf8()
    if b"\x00" in start or not start.strip():
        raise unknown()
    if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return _of_json(file)
    file.seek(0)
    header = table.header_of(file)
    # A text is no table: one has columns, or calls itself so.
    if len(header) < 2 and not name.lower().endswith((".csv", ".tsv")):
        raise unknown()
    return table.Table.shape


def _of_json(file: BinaryIO) -> str:
    """An object a line, or one document, which may have lines too."""
    first = next(objects(file), None)
    file.seek(0)
    if first is not None and first.record is not None and (shape := _of_lines(file)):
        return shape
    try:
        return _of_document(file)
    except Invalid:
        # A first line that is broken does not hide the rest.
        file.seek(0)
        if shape := _of_lines(file):
            return shape
        raise


def _of_lines(file: BinaryIO) -> str:
    names: set[str] = set()
    for line in objects(file):
        names |= (line.record or {}).keys()
        if line.number >= LOOKED_AT:
            break
    file.seek(0)
    if names >= _EXPORT:
        return Export.shape
    if names >= _EDGE:
        return GraphitiLines.shape
    return Mem0Lines.shape if _is_memory(names) else ""


def _of_document(file: BinaryIO) -> str:
    """By the items of the list in it; an agent file by its lists."""
    if _is_letta(file):
        return Letta.shape
    file.seek(0)
    for line in items(file, (*MEM0, *GRAPHITI)):
        names = set(line.record or ())
        if names >= _EDGE:
            return Graphiti.shape
        if _is_memory(names | ({"text"} if "content" in names else set())):
            return Mem0.shape
        if line.number >= LOOKED_AT:
            break
    raise unknown()


def _is_memory(names: set[str]) -> bool:
    return bool(names & {"memory", "text"} and names & {"user_id", "agent_id", "run_id"})


def _is_letta(file: BinaryIO) -> bool:
    """By the names of its lists, which stand in quotes; the reader looks closely."""
    file.seek(0)
    found: set[str] = set()
    wanted = {json.dumps(name) for name in ("agents", "blocks", "tools", "sources")}
    held = b""
    while piece := file.read(LONGEST):
        held = held[-16:] + piece
        found |= {name for name in wanted if name.encode() in held}
        if found == wanted:
            file.seek(0)
            return True
    return False
