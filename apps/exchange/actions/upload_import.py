"""Read a file into lines that wait for a person's word."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.db import connection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.text import one_line, storable
from apps.core.transactions import bind
from apps.exchange.incoming import Unfit
from apps.exchange.models import Import, ImportLine
from apps.exchange.readers import table
from apps.exchange.readers.base import Line
from apps.exchange.readers.export import Export, id_in, parents_in
from apps.exchange.readers.shapes import READERS, shape_of
from apps.exchange.readers.stores import read_url
from apps.exchange.states import WAITING, WORKING

PIECE = 1000
"""Lines that are written at once."""
MOST_NAMED = 5_000
"""Parents that lines name before they are looked up."""
MOST_OPEN = 20
"""Imports of one project that wait or run: each keeps its lines."""


def upload_import(
    *, actor: Actor, project_id: int, name: str, file: BinaryIO | None = None, url: str = "", size: int = 0
) -> Import:
    """The import that waits, with every record of the file as a line. Nothing is learned from it yet.

    ``url`` instead of a file is for the operator's own command. Raises Invalid: ``unknown_shape``, ``nothing_in_it`` for a
    file without a single record, ``unreadable`` where none of them can be read, ``too_many_open``; nothing is kept then.
    """
    require(actor, "imports.upload", project_id=project_id)
    if file is not None:
        shape = shape_of(file, name)
        header = table.header_of(file) if shape == table.Table.shape else []
        file.seek(0)
        lines = READERS[shape].read(file)
    else:
        require(actor, "imports.read_elsewhere", project_id=project_id)
        shape, lines = read_url(url)
        header = []
    with bind(project_id):
        if Import.objects.filter(project_id=project_id, state__in=[*WAITING, *WORKING]).count() >= MOST_OPEN:
            raise Invalid("too_many_open", f"{MOST_OPEN} imports wait or run here. End some of them first.")
        upload = Import.objects.create(
            project_id=project_id,
            name=one_line(storable(name)[0])[:255],
            shape=shape,
            size=size,
            header=header,
            columns={"columns": table.guessed(header)} if header else {},
            uploaded_by=actor.name,
        )
        upload.lines, upload.last_line, readable = _keep(upload, lines)
        if not upload.lines:
            raise Invalid("nothing_in_it", "There is nothing in this file that could be brought in.", pointer="/file")
        if not readable:
            raise Invalid("unreadable", "Not one record of this file can be read.", pointer="/file")
        upload.save(update_fields=["lines", "last_line"])
        record(
            actor=actor,
            verb="imports.upload",
            object_type="import",
            object_id=upload.id,
            data={"shape": shape, "lines": upload.lines, "bytes": size},
        )
    return upload


def _keep(upload: Import, lines: Iterator[Line]) -> tuple[int, int, int]:
    """How many there were, the last number, and how many can be read."""
    count = last = readable = 0
    piece: list[ImportLine] = []
    parents: set[int] = set()

    def write() -> None:
        _insert(upload, piece)
        if parents:
            # What a line is derived from stands before it.
            rows = ImportLine.objects.filter(project_id=upload.project_id, upload=upload, given_id__in=parents)
            rows.update(parent=True)
        piece.clear()
        parents.clear()

    for line in lines:
        count, last, readable = count + 1, line.number, readable + (line.record is not None)
        given_id = None
        if line.record is not None and upload.shape == Export.shape:
            given_id = id_in(line.record)
            parents.update(_parents(line.record))
        piece.append(
            ImportLine(
                project_id=upload.project_id,
                upload=upload,
                number=line.number,
                record=line.record,
                reason=line.fault,
                given_id=given_id,
            )
        )
        if len(piece) == PIECE or len(parents) > MOST_NAMED:
            write()
    write()
    return count, last, readable


def _insert(upload: Import, piece: list[ImportLine]) -> None:
    """A few parameters, however many lines: to put each value into the text takes longer than to store it."""
    given: list[Any] = [
        upload.project_id,
        upload.id,
        [line.number for line in piece],
        [None if line.record is None else json.dumps(line.record) for line in piece],
        [line.reason for line in piece],
        [line.given_id for line in piece],
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {ImportLine._meta.db_table}"  # noqa: S608
            " (project_id, upload_id, number, record, reason, given_id, parent)"
            " SELECT %s, %s, v.number, v.record::jsonb, v.reason, v.given_id, false"
            " FROM unnest(%s::int[], %s::text[], %s::text[], %s::bigint[]) AS v (number, record, reason, given_id)",
            given,
        )


def _parents(record: dict[str, Any]) -> tuple[int, ...]:
    try:
        return parents_in(record)
    except Unfit:
        # The line is refused for it, once it is its turn.
        return ()
