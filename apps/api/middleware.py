"""The API's own way through Django: paths of the API go straight to their view, and the console's middleware, with its
sessions, CSRF tokens, messages and users, is never entered."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve

from apps.api.errors import respond
from apps.core.request_id import request_id_for, request_id_set

PREFIXES = ("/public/v1/", "/v1/")
# A JSON answer loads nothing, and belongs into no frame.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ApiApart:
    """The outermost middleware. Answers the API's paths itself and passes the others on.

    What the console's middleware also does for the API is done here: the request's id, the check of `Host`, the
    security headers, and `Content-Length`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.strict_transport = ""
        if settings.SECURE_HSTS_SECONDS:
            self.strict_transport = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(PREFIXES):
            return self.get_response(request)
        request_id = request_id_for(request.META.get("HTTP_X_REQUEST_ID", ""))
        with request_id_set(request_id):
            response = _answer(request)
        headers = response.headers
        headers["X-Request-ID"] = request_id
        for name, value in HEADERS.items():
            headers[name] = value
        if self.strict_transport and request.is_secure():
            headers["Strict-Transport-Security"] = self.strict_transport
        if isinstance(response, HttpResponse):
            headers["Content-Length"] = str(len(response.content))
        return response


def _answer(request: HttpRequest) -> HttpResponseBase:
    try:
        request.get_host()
        match = request.resolver_match = resolve(request.path_info)
    except Exception as error:  # before any view: `boundary` answers for what happens inside one
        response = respond(error)
        response.headers["Cache-Control"] = "no-store"
        return response
    answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return answer
