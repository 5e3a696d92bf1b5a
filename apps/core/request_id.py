"""The id of the request, task or command that is running."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from apps.core.ids import uuid7

_current: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9-]{8,64}")


def request_id_for(given: str) -> str:
    """``given``, which a client sent, if it is well formed, else a new one."""
    return given if _WELL_FORMED.fullmatch(given) else str(uuid7())


@contextmanager
def request_id_set(request_id: str) -> Iterator[None]:
    """Within the block `current_request_id()` is `request_id`."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)


def current_request_id() -> str:
    """The id of what runs now, or "" outside a request, task or command."""
    return _current.get()
