"""The id of the request, task or command that is running."""

import re
from contextvars import ContextVar, Token

from apps.core.ids import uuid7_text

_current: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9-]{8,64}")


def request_id_for(given: str) -> str:
    """``given``, which a client sent, if it is well formed, else a new one."""
    return given if given and _WELL_FORMED.fullmatch(given) else uuid7_text()


class request_id_set:
    """Within the block `current_request_id()` is `request_id`."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id

    def __enter__(self) -> None:
        self._token: Token[str] = _current.set(self._request_id)

    def __exit__(self, *error: object) -> None:
        _current.reset(self._token)


def current_request_id() -> str:
    """The id of what runs now, or "" outside a request, task or command."""
    return _current.get()
