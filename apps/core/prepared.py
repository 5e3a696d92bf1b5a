"""Statements that every request sends: prepared once by each connection, so that neither side parses them again."""

import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import psycopg
from django.db import connections
from psycopg.pq import DiagnosticField, ExecStatus

GONE = b"26000"
"""What Postgres says of a statement that is not prepared."""

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


class OneValue:
    """A statement of one value, sent as plainly as the protocol allows: what a cursor adds costs a third of a read."""

    def __init__(self, name: str, sql: str) -> None:
        """``sql`` has ``%s`` with a cast for each parameter; ``name`` is its own in each connection."""
        self.sql = sql
        self._name = name.encode()
        first, *rest = sql.split("%s")
        self._numbered = (first + "".join(f"${n}{part}" for n, part in enumerate(rest, 1))).encode()
        self._prepared: WeakSet[Any] = WeakSet()

    def get(self, params: Sequence[bytes | None]) -> bytes | None:
        """The value in Postgres' binary form, which for text is its bytes in UTF-8, of parameters in its text form. Errors
        are Django's."""
        connection = this_connection()
        if connection.connection is None:
            connection.ensure_connection()
        driver = connection.connection
        if connection.queries_logged or connection.execute_wrappers or not driver.autocommit:
            # Somebody watches, or the driver has a transaction to begin.
            (found,) = first_row(self.sql, [None if given is None else given.decode() for given in params])
            if found is None:
                return None
            return found.encode() if isinstance(found, str) else bytes(found)
        with connection.wrap_database_errors:
            if driver not in self._prepared:
                self._prepare(driver)
            answer = driver.pgconn.exec_prepared(self._name, params, None, 1)
            if answer.status != ExecStatus.TUPLES_OK and answer.error_field(DiagnosticField.SQLSTATE) == GONE:
                # The driver deallocates every statement of its connection after a rollback, this one too.
                self._prepare(driver)
                answer = driver.pgconn.exec_prepared(self._name, params, None, 1)
            self._checked(answer, ExecStatus.TUPLES_OK)
            value: bytes | None = answer.get_value(0, 0)
            return value

    def _prepare(self, driver: Any) -> None:
        self._checked(driver.pgconn.prepare(self._name, self._numbered), ExecStatus.COMMAND_OK)
        self._prepared.add(driver)

    @staticmethod
    def _checked(answer: Any, expected: ExecStatus) -> None:
        if answer.status != expected:
            raise psycopg.errors.error_from_result(answer, "utf-8")
