"""The WSGI application that the web processes serve. It refuses to run as the owner or a superuser."""

import os
import sys
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
        self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))


application = get_wsgi_application()
application.request_class = Request


def refused(status: int) -> tuple[str, list[tuple[str, str]], bytes]:
    """What to answer when the HTTP server refuses a request before the application sees it: status line, headers,
    body."""
    from apps.api.errors import unread

    answer = unread(status)
    return f"{answer.status_code} {answer.reason_phrase}", list(answer.items()), answer.content


if reason := refusal():
    sys.exit(reason)
