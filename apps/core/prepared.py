"""Statements that every request sends: prepared once by each connection, so that neither side parses them again."""

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


class _Prepared(psycopg.Cursor[Any]):
    """Django binds parameters into the text, and never prepares; this one sends them beside it, and does."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "_Prepared":
        return super().execute(query, params, prepare=True, **options)


def prepared_cursor() -> CursorWrapper:
    """A cursor of this thread's connection, for statements with a fixed text; as `connection.cursor()` in all else.

    Behind a pooler that hands a connection over after each transaction, the pooler has to know prepared statements.
    """
    connection.ensure_connection()
    cursor: Any = _Prepared(connection.connection)
    return connection.make_debug_cursor(cursor) if connection.queries_logged else connection.make_cursor(cursor)
