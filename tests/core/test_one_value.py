"""The plainest way to ask for one value: what it gives, and that it stays in the transaction it is asked in."""

import pytest
from django.db import DataError, ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.core.prepared import OneValue, first_row

GREETING = OneValue("greeting_of_a_test", "SELECT 'Hello ' || %s::text || ' ' || %s::int")
BYTES = OneValue("bytes_of_a_test", "SELECT convert_to(%s::text, 'LATIN1')")


@pytest.mark.django_db
def test_one_value_within_a_transaction_and_watched() -> None:
    assert GREETING.get(["Größe".encode(), b"7"]) == "Hello Größe 7".encode()
    assert GREETING.get([None, b"7"]) is None
    assert BYTES.get(["Größe".encode()]) == "Größe".encode("latin-1")
    with CaptureQueriesContext(connection) as queries:
        assert GREETING.get([b"x", b"1"]) == b"Hello x 1"
    assert len(queries) == 1 and "Hello" in queries[0]["sql"]


def test_one_value_is_prepared_once_and_begins_no_transaction(fresh_db: str) -> None:
    for name in ("a", 'b"\\{}', "ß"):
        assert GREETING.get([name.encode(), b"7"]) == f"Hello {name} 7".encode()
    with connection.cursor() as cursor:
        # Text comes as UTF-8, bytea as it is.
        assert BYTES.get(["Größe".encode()]) == "Größe".encode("latin-1")
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name = 'greeting_of_a_test'")
        assert cursor.fetchone() == (1,)
    with pytest.raises(ProgrammingError):
        OneValue("no_such", "SELECT nothing_such(%s::int)").get([b"1"])
    with pytest.raises(DataError):
        GREETING.get([b"x", b"not a number"])
    with transaction.atomic():
        first_row("SELECT set_config('app.project_id', '5', true)", [])
        # The same transaction, begun by whoever came first.
        assert OneValue("bound", "SELECT current_setting('app.project_id') || %s::text").get([b""]) == b"5"
    connection.close()
    assert GREETING.get([b"again", b"1"]) == b"Hello again 1"
