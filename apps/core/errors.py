"""Domain errors: what a verb or a parser says when it refuses.

Each carries a stable machine code and one sentence for a person. Neither ever repeats the offending value,
which may be a secret or somebody's personal data. The faces map them to HTTP; nothing here knows a
framework.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One fault in one place.

    `pointer` is an RFC 6901 JSON pointer into the body ("" is the whole body), `parameter` the name of a
    query parameter.
    """

    code: str
    detail: str
    pointer: str = ""
    parameter: str = ""


class DomainError(Exception):
    """A refusal with a stable code.

    Attributes: `code`, `detail`, `status` (the HTTP status a face should answer with), `pointer` and
    `parameter` (where, if in one place), `errors` (every single fault; filled from `pointer` or `parameter`
    when not given), `retry_after` (whole seconds, or None).
    """

    status: int = 400

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        pointer: str | None = None,
        parameter: str | None = None,
        errors: Iterable[FieldError] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.parameter = parameter
        self.errors: tuple[FieldError, ...] = tuple(errors)
        if not self.errors and (pointer is not None or parameter is not None):
            self.errors = (FieldError(code, detail, pointer or "", parameter or ""),)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Malformed(DomainError):
    """The request can't be parsed."""

    status = 400


class NotAuthenticated(DomainError):
    """Nobody, or nobody we know, is asking."""

    status = 401


class NotAllowed(DomainError):
    """The actor is known and may not do this."""

    status = 403


class NotFound(DomainError):
    """No such thing, or none the actor may know of: both look the same."""

    status = 404


class Conflict(DomainError):
    """The state has moved, or something equal is in the way."""

    status = 409


class Stale(DomainError):
    """What the actor began from is no more what is there."""

    status = 412


class TooLarge(DomainError):
    """The body is over the limit."""

    status = 413


class UnsupportedMedia(DomainError):
    """The body is in a format that is not read here."""

    status = 415


class Invalid(DomainError):
    """The request parses, and what it says is not acceptable."""

    status = 422


class RateLimited(DomainError):
    """Too many requests; `retry_after` says when to come back."""

    status = 429


class Unavailable(DomainError):
    """Something needed is away for now; `retry_after` says when to come back."""

    status = 503
