"""The API's own way through Django: paths of the API go straight to their view, and the console's middleware, with its
sessions, CSRF tokens, messages and users, is never entered."""

from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch, resolve

from apps.api.errors import PREFIXES, respond
from apps.core.request_id import request_id_for, request_id_set

MOST_HOSTS = 100
_hosts: set[str] = set()
# A JSON answer loads nothing, and belongs into no frame.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ApiApart:
    """The outermost middleware: answers the API's paths itself and passes the others on. `memoryplane.wsgi` asks
    `answer` without it, since Django's handler is a good part of a read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(PREFIXES):
            response = answer(request)
            for name, value in HEADERS.items():
                response.headers[name] = value
            return response
        # Pages bring their own policy of content; static files and what is refused before any view bring none.
        page = self.get_response(request)
        for name, value in HEADERS.items():
            page.headers.setdefault(name, value)
        return page


def answer(request: HttpRequest) -> HttpResponseBase:
    """The answer to a request for a path of the API, with the request's id and `Content-Length`; what sends it adds
    `HEADERS`. No error comes out."""
    request_id = request_id_for(request.META.get("HTTP_X_REQUEST_ID", ""))
    with request_id_set(request_id):
        response = _view(request)
    headers = response.headers
    headers["X-Request-ID"] = request_id
    if settings.SECURE_HSTS_SECONDS and request.is_secure():
        headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
    if isinstance(response, HttpResponse):
        headers["Content-Length"] = str(len(response.content))
    return response


def _view(request: HttpRequest) -> HttpResponseBase:
    try:
        _check_host(request)
        match = request.resolver_match = _match(request.path_info)
    except Exception as error:  # before any view: `boundary` answers for what happens inside one
        response = respond(error)
        response.headers["Cache-Control"] = "no-store"
        return response
    found: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return found


def _check_host(request: HttpRequest) -> None:
    """Raises DisallowedHost. Good hosts are remembered, few as they are."""
    host = request.META.get("HTTP_HOST")
    if host not in _hosts:
        request.get_host()
        if host and len(_hosts) < MOST_HOSTS:
            _hosts.add(host)


@lru_cache(maxsize=256)
def _match(path: str) -> ResolverMatch:
    return resolve(path)
