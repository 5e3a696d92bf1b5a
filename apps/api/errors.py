"""Every refusal and every failure as RFC 9457 problem JSON. The only place where the API turns errors into HTTP.

No answer and no log line repeats a value that was sent: it may be a secret or somebody's personal data.
"""

import traceback
from typing import Any

import orjson
import psycopg
import structlog
from django import db
from django.core import exceptions as django_errors
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.views import defaults
from rest_framework import exceptions as drf_errors

from apps.access.actions.record_denial import record_denial
from apps.access.policies import Refused
from apps.core.errors import (
    Conflict,
    DomainError,
    FieldError,
    Invalid,
    Malformed,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    TooLarge,
    Unavailable,
    UnsupportedMedia,
)
from apps.core.ids import uuid7
from apps.core.request_id import current_request_id, request_id_set
from apps.core.strict_json import escape

CONTENT_TYPE = "application/problem+json"
TYPE = "urn:memoryplane:problem:"
# What begins so is answered by the API, whatever becomes of it; everything else by the console.
PREFIXES = ("/public/v1/", "/v1/", "/api/v1/")
RETRY_SECONDS = 5
# Our own words: those of the standard library differ between Python versions.
TITLES = {
    400: "Malformed request",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    411: "Length required",
    412: "Precondition failed",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid request",
    428: "Precondition required",
    429: "Too many requests",
    431: "Head too large",
    500: "Internal error",
    501: "Not implemented",
    503: "Unavailable",
}

log = structlog.get_logger(__name__)


class MethodNotAllowed(DomainError):
    """The path knows other methods."""

    status = 405

    def __init__(self, allowed: str) -> None:
        super().__init__("method_not_allowed", "This path does not know the method.")
        self.allowed = allowed


class LengthRequired(DomainError):
    """A body came without saying how long it is."""

    status = 411


class HeadTooLarge(DomainError):
    """The request line and headers are over the limit."""

    status = 431


class NotImplementedHere(DomainError):
    """HTTP knows it, and it is not spoken here."""

    status = 501


class Defect(DomainError):
    """A fault of ours."""

    status = 500


def handle(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """REST framework's exception handler."""
    return respond(error)


def respond(error: Exception, *, in_trouble: int = 500) -> HttpResponse:
    """The answer for any exception. A refused policy is recorded first; what we did not foresee is logged and
    answered with the status `in_trouble`, 500 or 503."""
    if isinstance(error, Refused):
        try:
            record_denial(error)
        except Exception as failure:
            # Refused or not, the client learns that the service is in trouble: a denial is never left out of the chain.
            return respond(failure, in_trouble=in_trouble)
    known = _known(error)
    if known is None:
        _log_defect(error)
        known = _trouble() if in_trouble == 503 else Defect("internal_error", "Something went wrong here.")
    return problem(known)


def problem(error: DomainError) -> HttpResponse:
    """The problem document with its headers."""
    document: dict[str, Any] = {
        "type": TYPE + error.code,
        "title": TITLES.get(error.status, "Error"),
        "status": error.status,
        "detail": error.detail,
        "instance": current_request_id(),
    }
    if error.errors:
        document["errors"] = [
            ({"parameter": each.parameter} if each.parameter else {"pointer": each.pointer})
            | {"code": each.code, "detail": each.detail}
            for each in error.errors
        ]
    response = HttpResponse(orjson.dumps(document), status=error.status, content_type=CONTENT_TYPE)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="memoryplane"'
    if isinstance(error, MethodNotAllowed):
        response["Allow"] = error.allowed
    if error.code == "unsupported_media_type":
        response["Accept"] = "application/json"
    if error.code == "content_encoding":
        response["Accept-Encoding"] = "identity"
    return response


def unread(status: int) -> HttpResponse:
    """The answer to a request that the HTTP server refuses with `status` before any view is asked."""
    errors: dict[int, DomainError] = {
        400: Malformed("bad_request", "The request can't be read."),
        413: TooLarge("body_too_large", "The body is too large."),
        431: HeadTooLarge("head_too_large", "The request line and the headers are over the limit of 160 kB."),
        501: NotImplementedHere("transfer_encoding", "Of transfer encodings only chunked is read."),
    }
    request_id = str(uuid7())
    with request_id_set(request_id):
        response = problem(errors.get(status) or Defect("internal_error", "Something went wrong here."))
    response["X-Request-ID"] = request_id
    response["Cache-Control"] = "no-store"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler for requests refused before any view, such as one for a host that isn't served here."""
    if request.path.startswith(PREFIXES):
        return respond(exception)
    return defaults.bad_request(request, exception)


def _known(error: Exception) -> DomainError | None:
    """The domain error that says the same, or None for what nobody foresaw."""
    match error:
        case DomainError():
            return error
        case db.DatabaseError() | db.InterfaceError() | psycopg.Error():
            return _database(error)
        case Http404():
            return NotFound("not_found", "There is nothing here.")
        case django_errors.PermissionDenied():
            return NotAllowed("not_allowed", "This is not allowed.")
        case django_errors.RequestDataTooBig():
            return TooLarge("body_too_large", "The body is too large.")
        case django_errors.SuspiciousOperation() | django_errors.BadRequest():
            return Malformed("bad_request", "The request can't be read.")
        case UnreadablePostError():
            return Malformed("body_cut_off", "The body ended before its length.")
        case drf_errors.APIException():
            return _framework(error)
        case RecursionError() | UnicodeError() | OverflowError():
            # The parsers refuse what leads here; that one got through is a fault of ours, but the request's cause.
            _log_defect(error)
            return Malformed("unreadable_value", "A value can't be read.")
    return None


def _database(error: Exception) -> DomainError | None:
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    state = (cause.sqlstate if isinstance(cause, psycopg.Error) else None) or ""
    if isinstance(error, db.DataError | psycopg.DataError) or state.startswith("54"):  # 54: over a limit of Postgres
        _log_defect(error)
        return Invalid("unstorable_value", "A value can't be stored.")
    if isinstance(error, db.IntegrityError | psycopg.IntegrityError):
        _log_defect(error)
        return Conflict("conflict", "The state has moved, or something equal is in the way.")
    away = (db.OperationalError, db.InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
    if isinstance(error, away) or state == "25006":  # 25006: a standby that takes no writes
        log.warning("database_unavailable", error=type(error).__name__, sqlstate=state)
        return _trouble()
    return None


def _trouble() -> Unavailable:
    return Unavailable("unavailable", "The service can't answer now.", retry_after=RETRY_SECONDS)


def _framework(error: drf_errors.APIException) -> DomainError | None:
    match error:
        case drf_errors.NotAuthenticated() | drf_errors.AuthenticationFailed():
            return NotAuthenticated("invalid_key", "The API key is missing or not valid.")
        case drf_errors.PermissionDenied():
            return NotAllowed("not_allowed", "This is not allowed.")
        case drf_errors.NotFound():
            return NotFound("not_found", "There is nothing here.")
        case drf_errors.UnsupportedMediaType():
            return unsupported_media_type()
        case drf_errors.ParseError():
            return Malformed("invalid_json", "The body is not valid JSON.")
        case drf_errors.ValidationError():
            return Invalid("invalid", "The request is not acceptable.", errors=_flat(error.detail, ""))
    return None


def unsupported_media_type(types: tuple[str, ...] = ("application/json",)) -> UnsupportedMedia:
    return UnsupportedMedia("unsupported_media_type", f"Send the body as {' or '.join(types)}.")


def _flat(detail: Any, pointer: str) -> list[FieldError]:
    if isinstance(detail, dict):
        return [
            fault
            for name, inner in detail.items()
            for fault in _flat(inner, pointer if name == "non_field_errors" else f"{pointer}/{escape(str(name))}")
        ]
    if isinstance(detail, list):
        return [
            fault
            for index, inner in enumerate(detail)
            for fault in _flat(inner, f"{pointer}/{index}" if isinstance(inner, dict | list) else pointer)
        ]
    # The framework's sentences quote values, so only its code is passed on.
    return [FieldError(getattr(detail, "code", "invalid"), "Is not acceptable.", pointer)]


def _log_defect(error: Exception) -> None:
    # Where, and of which kind; the message is left out, since a database's message quotes what was sent.
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    log.error(
        "defect",
        error=type(error).__name__,
        at=" < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames)),
    )
