"""What can go wrong, by name. The text of each is short, repeats nothing that was sent, and may be shown to a model."""

from collections.abc import Sequence
from typing import Any


class MemoryPlaneError(Exception):
    """Any of them. ``code`` is the server's stable one (or a word of ours where no server answered), ``status`` the HTTP
    status or None, ``faults`` the server's list of what is wrong and where, ``request_id`` what its log calls the request."""

    def __init__(
        self,
        text: str,
        *,
        code: str,
        status: int | None = None,
        faults: Sequence[dict[str, Any]] = (),
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.status = status
        self.faults = list(faults)
        self.request_id = request_id
        self.retry_after = retry_after


class NotReachable(MemoryPlaneError):
    """Nobody answered, so nothing was written."""


class TimedOut(MemoryPlaneError):
    """No answer in time. A write may have been done; writing the same again is safe where the method says so."""


class Unavailable(MemoryPlaneError):
    """The service can't answer now (502, 503, 504, 429); ``retry_after`` says in how many seconds, if it said."""


class UnexpectedAnswer(MemoryPlaneError):
    """What answered does not speak as memoryplane does: a proxy, another product, a fault."""


class KeyRefused(MemoryPlaneError):
    """The API key is missing, unknown, expired or revoked."""


class NotAllowed(MemoryPlaneError):
    """The API key may not do this; the text names the scope that is missing."""


class NotFound(MemoryPlaneError, LookupError):
    """There is no such thing, or none that the API key may know of."""


class NoSuchKey(NotFound):
    """Nothing is kept under the key. A stored null is no such case."""


class Invalid(MemoryPlaneError, ValueError):
    """What was sent can't be kept as it is; ``faults`` says what and where."""


class Conflict(MemoryPlaneError):
    """The state does not allow it: ``protected``, ``restricted``, ``forgotten``, ``fact_moved``, ``refused_before`` …"""


class WaitsForReview(MemoryPlaneError):
    """It is not refused and not told: a person looks at it first. Only raised where one asks for it."""


class StillKept(MemoryPlaneError):
    """Some of what was to be cleared stays, because a person answers for it or holds it."""


OF_STATUS: dict[int, type[MemoryPlaneError]] = {
    400: Invalid,
    401: KeyRefused,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: Unavailable,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
