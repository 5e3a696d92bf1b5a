"""The id of the request, task or command that is running."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[str] = ContextVar("request_id", default="")


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
