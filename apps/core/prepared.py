"""Statements that every request sends: prepared once by each connection, so that neither side parses them again."""

import threading
from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import connections


class _Prepared(psycopg.Cursor[Any]):
    """Django binds parameters into the text, and never prepares; this one sends them beside it, and does. For those who
    watch statements: Django's cursors pass on nothing but these two."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "_Prepared":
        return super().execute(query, params, prepare=True, binary=True)


_of_thread = threading.local()


def this_connection() -> Any:
    """This thread's `connections["default"]`, which stays the same object and takes a while to find."""
    try:
        return _of_thread.connection
    except AttributeError:
        _of_thread.connection = connections["default"]
        return _of_thread.connection


def first_row(sql: str, params: Sequence[Any]) -> Any:
    """The first row of a statement with a fixed text on this thread's connection, as a tuple, or None. Values come in
    Postgres' binary form, so that bytea costs nothing to read. Errors are Django's.

    Behind a pooler that hands a connection over after each transaction, the pooler has to know prepared statements.
    """
    connection = this_connection()
    if connection.connection is None:
        connection.connect()
    if connection.queries_logged or connection.execute_wrappers:
        wrapped = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        cursor = wrapped(_Prepared(connection.connection))
        cursor.execute(sql, params)
        return cursor.fetchone()
    with connection.wrap_database_errors:
        plain: Any = psycopg.Cursor(connection.connection)
        return plain.execute(sql, params, prepare=True, binary=True).fetchone()
