"""Statements that every request sends: prepared once by each connection, so that neither side parses them again."""

import threading
from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import connections

_of_thread = threading.local()


def this_connection() -> Any:
    """This thread's `connections["default"]`, which stays the same object and takes a while to find."""
    try:
        return _of_thread.connection
    except AttributeError:
        _of_thread.connection = connections["default"]
        return _of_thread.connection


def first_row(sql: str, params: Sequence[Any]) -> Any:
    """The first row of a statement with a fixed text on this thread's connection, as a tuple, or None. bytea comes as
    bytes. Errors are Django's.

    Behind a pooler that hands a connection over after each transaction, the pooler has to know prepared statements.
    """
    connection = this_connection()
    if connection.queries_logged or connection.execute_wrappers:
        # Somebody watches: Django's own cursor tells him.
        with connection.cursor() as watched:
            watched.execute(sql, params)
            return watched.fetchone()
    if connection.connection is None:
        connection.ensure_connection()
    driver = connection.connection
    # Django forbids preparing on its connections (None); here it is wanted from the first time on.
    driver.prepare_threshold = 0
    try:
        with connection.wrap_database_errors:
            cursor: Any = psycopg.Cursor(driver)
            return cursor.execute(sql, params, binary=True).fetchone()
    finally:
        driver.prepare_threshold = None
