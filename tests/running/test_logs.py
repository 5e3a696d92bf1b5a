"""What stands in the log: where something went wrong, and no word of what somebody sent."""

import logging
from collections.abc import Iterator
from io import StringIO
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.core.exceptions import BadRequest

from apps.core.errors import Conflict
from memoryplane.logs import configure

SAID = "Gracehopper prefers tea"


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """The log as it is set up, into memory; put back as it was."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    configure({"format": "text"})
    written = StringIO()
    handler = root.handlers[-1]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(written)
    yield written
    root.handlers[:] = before
    root.setLevel(level)


def failing(error: BaseException) -> BaseException:
    try:
        try:
            raise ValueError(SAID)
        except ValueError as cause:
            raise error from cause
    except type(error) as raised:
        return raised


def test_an_error_is_told_by_its_place_and_its_codes(lines: StringIO) -> None:
    error = failing(Conflict("fact_moved", f"Fact {SAID} was changed."))
    logging.getLogger("some.library").error("It failed", exc_info=error)
    told = lines.getvalue()
    assert SAID not in told
    assert "It failed" in told and "apps.core.errors.Conflict fact_moved" in told and "builtins.ValueError" in told
    assert "test_logs.py" in told and "in failing" in told


def test_of_the_database_the_state_and_the_constraint_are_told(lines: StringIO, db: None) -> None:
    from django.db import IntegrityError, connection, transaction

    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("CREATE TEMP TABLE drinks (said text CONSTRAINT drinks_said_uniq UNIQUE)")
            cursor.execute("INSERT INTO drinks VALUES (%s), (%s)", [SAID, SAID])
    except IntegrityError as error:
        assert SAID in str(error)
        logging.getLogger("django").error("Refused", exc_info=error)
    told = lines.getvalue()
    assert SAID not in told and psycopg.errors.UniqueViolation.sqlstate in told and "drinks_said_uniq" in told


@pytest.mark.parametrize(
    ("route", "shown"), [("p/<slug:slug>/facts", "/p/<slug:slug>/facts"), (None, "a path that leads nowhere")]
)
def test_a_path_is_told_by_its_route(lines: StringIO, route: str | None, shown: str) -> None:
    path = "/p/acme/gracehöpper"
    request = SimpleNamespace(path=path, resolver_match=SimpleNamespace(route=route) if route else None)
    escaped = path.encode("unicode_escape").decode("ascii")
    logging.getLogger("django.request").warning(
        "Not Found: %s", escaped, extra={"request": request, "status_code": 404}
    )
    told = lines.getvalue()
    assert "gracehö" not in told and r"gracehh" not in told and escaped not in told
    assert f"Not Found: {shown}" in told


def test_celery_names_the_kind_of_an_exception_alone(lines: StringIO) -> None:
    error = failing(BadRequest(SAID))
    context: dict[str, Any] = {
        "name": "privacy.sweep",
        "id": "1",
        "description": "raised unexpected",
        "exc": repr(error),
        "traceback": f"… {SAID}",
        "args": "(1, 2)",
        "kwargs": "{}",
    }
    said = "Task %(name)s[%(id)s] %(description)s: %(exc)s"
    logging.getLogger("celery.app.trace").error(
        said, context, exc_info=(type(error), error, error.__traceback__), extra={"data": context}
    )
    logging.getLogger("celery.app.trace").error(said, context)
    told = lines.getvalue()
    assert SAID not in told
    assert told.count("Task privacy.sweep[1] raised unexpected: BadRequest") == 2
