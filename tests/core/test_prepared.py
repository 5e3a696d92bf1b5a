"""Statements prepared by the connection: what they give, that they are seen, and that their errors are Django's."""

import pytest
from django.db import OperationalError, ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.core.prepared import first_row

pytestmark = pytest.mark.django_db


def test_a_row_and_bytes_as_they_are() -> None:
    row = first_row("SELECT convert_to(%s, 'UTF8'), %s::int, %s::text[], NULL", ["Größe", 7, ["a", "b"]])
    assert row == ("Größe".encode(), 7, ["a", "b"], None)
    assert first_row("SELECT 1 WHERE false", []) is None


def test_it_is_prepared_from_the_first_time() -> None:
    first_row("SELECT %s::text || 'prepared here'", ["x"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%prepared here%"])
        assert cursor.fetchone() == (1,)


def test_those_who_watch_statements_see_it() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert first_row("SELECT %s::int + 1", [1]) == (2,)
    assert len(queries) == 1 and "+ 1" in queries[0]["sql"]
    seen = []

    def watch(execute, sql, params, many, context):
        seen.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        assert first_row("SELECT %s::int + 2", [1]) == (3,)
    assert seen == [("SELECT %s::int + 2", [1])]


def test_errors_are_djangos_and_noted() -> None:
    with pytest.raises(ProgrammingError), transaction.atomic():
        first_row("SELECT nothing_such()", [])
    with pytest.raises(OperationalError), transaction.atomic():
        first_row("SELECT set_config('statement_timeout', '20', true)", [])
        first_row("SELECT pg_sleep(5)", [])
    assert connection.errors_occurred  # so that the connection is looked at after the request
