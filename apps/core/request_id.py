"""The id of the request, task or command that is running."""

import hashlib
import re
from contextvars import ContextVar, Token

from django.conf import settings

from apps.core.ids import uuid7_text

_current: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9-]{8,64}")
_MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def request_id_for(given: str) -> str:
    """``given``, which a client sent, if it is well formed, else a new one."""
    return given if given and _WELL_FORMED.fullmatch(given) else uuid7_text()


def traceable(request_id: str) -> str:
    """The id as it is when the product made it; of one that a client chose, which may name somebody, a keyed digest: neither
    the audit chain nor a log is changed afterwards. Whoever has the client's id finds both by the digest."""
    if not request_id or _MADE.fullmatch(request_id):
        return request_id
    return hashlib.blake2b(request_id.encode(), digest_size=16, key=settings.AUDIT_KEY.encode()[:64]).hexdigest()


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
