"""One id for everything a request does: the answer's header, the log lines, the audit events."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from apps.core.request_id import request_id_for, request_id_set


class RequestIdMiddleware:
    """Takes a well-formed `X-Request-ID` or makes one, and gives it back in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = request_id_for(request.headers.get("X-Request-ID", ""))
        with request_id_set(request_id):
            response = self.get_response(request)
        response["X-Request-ID"] = request_id
        return response
