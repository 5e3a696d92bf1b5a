"""Every exception has its answer, none repeats what was sent, and a service in trouble says 503."""

import json
from collections.abc import Callable

import psycopg
import pytest
from django import db
from django.core import exceptions as django_errors
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.test import RequestFactory
from psycopg import errors as pg
from rest_framework import exceptions as drf_errors

from apps.access.actor import Actor
from apps.access.policies import POLICIES, require
from apps.api import errors
from apps.api.boundary import boundary
from apps.core.errors import (
    Conflict,
    DomainError,
    FieldError,
    Invalid,
    Malformed,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    RateLimited,
    TooLarge,
    Unavailable,
    UnsupportedMedia,
)
from apps.core.request_id import request_id_set

SECRET = "s3cret-value"


def wrapped(outer: type[Exception], cause: Exception) -> Exception:
    """A driver's error as Django raises it."""
    error = outer(SECRET)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Malformed("x", "Y."), 400, "x"),
        (NotAuthenticated("x", "Y."), 401, "x"),
        (NotAllowed("x", "Y."), 403, "x"),
        (NotFound("x", "Y."), 404, "x"),
        (errors.MethodNotAllowed("GET"), 405, "method_not_allowed"),
        (Conflict("x", "Y."), 409, "x"),
        (errors.LengthRequired("x", "Y."), 411, "x"),
        (TooLarge("x", "Y."), 413, "x"),
        (UnsupportedMedia("x", "Y."), 415, "x"),
        (Invalid("x", "Y."), 422, "x"),
        (RateLimited("x", "Y."), 429, "x"),
        (Unavailable("x", "Y."), 503, "x"),
        (Http404(SECRET), 404, "not_found"),
        (django_errors.PermissionDenied(SECRET), 403, "not_allowed"),
        (django_errors.DisallowedHost(SECRET), 400, "bad_request"),
        (django_errors.RequestDataTooBig(SECRET), 413, "body_too_large"),
        (django_errors.TooManyFieldsSent(SECRET), 400, "bad_request"),
        (django_errors.BadRequest(SECRET), 400, "bad_request"),
        (UnreadablePostError(SECRET), 400, "body_cut_off"),
        (drf_errors.NotAuthenticated(SECRET), 401, "invalid_key"),
        (drf_errors.AuthenticationFailed(SECRET), 401, "invalid_key"),
        (drf_errors.PermissionDenied(SECRET), 403, "not_allowed"),
        (drf_errors.NotFound(SECRET), 404, "not_found"),
        (drf_errors.ParseError(SECRET), 400, "invalid_json"),
        (drf_errors.UnsupportedMediaType(SECRET), 415, "unsupported_media_type"),
        (wrapped(db.OperationalError, psycopg.OperationalError(SECRET)), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.QueryCanceled(SECRET)), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.LockNotAvailable(SECRET)), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.DeadlockDetected(SECRET)), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.TooManyConnections(SECRET)), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.DiskFull(SECRET)), 503, "unavailable"),
        (wrapped(db.InternalError, pg.ReadOnlySqlTransaction(SECRET)), 503, "unavailable"),
        (wrapped(db.InterfaceError, psycopg.InterfaceError(SECRET)), 503, "unavailable"),
        (psycopg.OperationalError(SECRET), 503, "unavailable"),
        (wrapped(db.OperationalError, pg.ProgramLimitExceeded(SECRET)), 422, "unstorable_value"),
        (wrapped(db.OperationalError, pg.StatementTooComplex(SECRET)), 422, "unstorable_value"),
        (wrapped(db.DataError, pg.UntranslatableCharacter(SECRET)), 422, "unstorable_value"),
        (wrapped(db.DataError, pg.NumericValueOutOfRange(SECRET)), 422, "unstorable_value"),
        (wrapped(db.IntegrityError, pg.UniqueViolation(SECRET)), 409, "conflict"),
        (wrapped(db.ProgrammingError, pg.UndefinedTable(SECRET)), 500, "internal_error"),
        (RecursionError(SECRET), 400, "unreadable_value"),
        (UnicodeEncodeError("utf-8", SECRET, 0, 1, SECRET), 400, "unreadable_value"),
        (OverflowError(SECRET), 400, "unreadable_value"),
        (ValueError(SECRET), 500, "internal_error"),
        (KeyError(SECRET), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_every_exception_has_its_answer(
    error: Exception, status: int, code: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with request_id_set("request-0001"):
        response = errors.respond(error)
    document = json.loads(response.content)
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    assert document == {
        "type": f"urn:memoryplane:problem:{code}",
        "title": errors.TITLES[status],
        "status": status,
        "detail": document["detail"],
        "instance": "request-0001",
    }
    assert document["detail"].endswith(".")
    # An agent's SDK reads "tier" in a refusal as a limit of the plan.
    assert "tier" not in document["detail"]
    assert response.headers.get("Retry-After") == (
        "5" if status == 503 and not isinstance(error, DomainError) else None
    )
    said = response.content.decode() + capfd.readouterr().err
    assert SECRET not in said


def test_faults_are_listed_with_their_places() -> None:
    faults = [FieldError("a", "A.", pointer="/a/0"), FieldError("b", "B.", parameter="b"), FieldError("c", "C.")]
    document = json.loads(errors.respond(Invalid("x", "Y.", errors=faults)).content)
    assert document["errors"] == [
        {"pointer": "/a/0", "code": "a", "detail": "A."},
        {"parameter": "b", "code": "b", "detail": "B."},
        {"pointer": "", "code": "c", "detail": "C."},
    ]


def test_a_frameworks_validation_error_becomes_pointers() -> None:
    error = drf_errors.ValidationError(
        {
            "facts": [{}, {"a/b": [drf_errors.ErrorDetail(SECRET, "blank")]}],
            "non_field_errors": [drf_errors.ErrorDetail(SECRET, "unique")],
        }
    )
    response = errors.respond(error)
    document = json.loads(response.content)
    assert (response.status_code, document["type"]) == (422, "urn:memoryplane:problem:invalid")
    assert document["errors"] == [
        {"pointer": "/facts/1/a~1b", "code": "blank", "detail": "Is not acceptable."},
        {"pointer": "", "code": "unique", "detail": "Is not acceptable."},
    ]
    assert SECRET.encode() not in response.content


def test_headers_that_belong_to_a_status() -> None:
    assert errors.respond(RateLimited("x", "Y.", retry_after=7))["Retry-After"] == "7"
    assert errors.respond(errors.MethodNotAllowed("POST"))["Allow"] == "POST"
    assert errors.respond(NotAuthenticated("x", "Y."))["WWW-Authenticate"] == 'Bearer realm="memoryplane"'


def test_every_denial_of_a_key_speaks_of_scopes_and_never_of_tiers() -> None:
    key = Actor(kind="key", id="1", project_id=1)
    for verb in POLICIES:
        with pytest.raises(NotAllowed) as caught:
            require(key, verb, project_id=1)
        assert "scope" in caught.value.detail
        assert "tier" not in caught.value.detail


def failing(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


def test_a_path_may_be_in_trouble_rather_than_broken() -> None:
    request = RequestFactory().get("/")
    broken = boundary(failing(ValueError(SECRET)))(request)
    assert (broken.status_code, broken.get("Retry-After")) == (500, None)
    trouble = boundary(failing(ValueError(SECRET)), in_trouble=503)(request)
    assert (trouble.status_code, trouble["Retry-After"]) == (503, "5")
    assert trouble["Content-Type"] == "application/problem+json"


def test_a_defect_is_logged_with_its_place_and_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    boundary(failing(ValueError(SECRET)))(RequestFactory().get("/"))
    (record,) = [record for record in caplog.records if record.name == "apps.api.errors"]
    assert record.levelname == "ERROR"
    assert isinstance(record.msg, dict)
    assert record.msg["error"] == "ValueError"
    assert "test_errors.py" in record.msg["at"]
    assert SECRET not in caplog.text
