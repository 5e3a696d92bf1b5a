"""The WSGI application that the web processes serve. It refuses to run as the owner or a superuser."""

import os
import sys
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.utils.http import parse_header_parameters

from memoryplane.startup import refusal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")


class Request(WSGIRequest):
    """Reads every request as UTF-8. Django would take the charset a client names for the query string too, and one
    that is no text encoding would fail before any view could answer."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        sent = meta.get("CONTENT_TYPE")
        self.content_type, self.content_params = parse_header_parameters(sent) if sent else ("", {})


pages = get_wsgi_application()
pages.request_class = Request

from django.utils.log import log_response  # noqa: E402  (Django is set up first)

from apps.api.errors import PREFIXES  # noqa: E402
from apps.api.middleware import HEADERS, answer  # noqa: E402
from apps.core.prepared import this_connection  # noqa: E402


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The API's paths on their own short way, all others through Django's handler."""
    if not environ.get("PATH_INFO", "").startswith(PREFIXES):
        return pages(environ, start_response)
    request = Request(environ)
    # What Django's signals do for each request, as far as the API needs it: a connection that is too old is closed before,
    # and one that is broken afterwards.
    connection = this_connection()
    if connection.close_at is not None and monotonic() >= connection.close_at:
        connection.close_if_unusable_or_obsolete()
    try:
        response: Any = answer(request)
        if response.status_code >= 400:
            log_response("%s: %s", response.reason_phrase, request.path, response=response, request=request)
        start_response(f"{response.status_code} {response.reason_phrase}", [*response.items(), *HEADERS.items()])
        return response if response.streaming else [response.content]
    finally:
        request.close()
        if connection.errors_occurred or connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


if reason := refusal():
    sys.exit(reason)
