"""One id for everything a request does: the answer's header, the log lines, the audit events."""

import re
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from apps.core.ids import uuid7
from apps.core.request_id import request_id_set


class RequestIdMiddleware:
    """Takes a well-formed `X-Request-ID` or makes one, and gives it back in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if re.fullmatch(r"[A-Za-z0-9-]{8,64}", given) else str(uuid7())
        with request_id_set(request_id), structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response["X-Request-ID"] = request_id
        return response
