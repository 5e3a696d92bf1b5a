"""What is true of every path of the API, whichever framework answers it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt

from apps.api.errors import MethodNotAllowed, respond

View = Callable[..., HttpResponseBase]


def api_path(route: str, view: View, method: str, *, name: str, in_trouble: int = 500) -> URLPattern:
    """A path of the API that answers one `method`, or several: "GET, POST".

    Errors become problem JSON, unforeseen ones with the status `in_trouble`; cookies are neither read nor set; no
    answer may be kept by a cache.
    """
    return path(route, boundary(view, method, in_trouble=in_trouble), name=name)


def boundary(view: View, method: str | None = None, *, in_trouble: int = 500) -> View:
    """The view inside these rules; without a `method` it gets every request."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase
        try:
            _forget(request)
            if method is not None and request.method not in method.split(", "):
                raise MethodNotAllowed(method)
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):
                response.render()  # here, so that an answer that can't be written is an error like any other
        except Exception as error:
            response = respond(error, in_trouble=in_trouble)
        response["Cache-Control"] = "no-store"
        return response

    return csrf_exempt(guarded)


def unknown_path(request: HttpRequest) -> HttpResponse:
    """What stands behind no path; agents read JSON, not the console's page."""
    raise Http404


def _forget(request: HttpRequest) -> None:
    """Drop what a request says beside its key: cookies, which the session and CSRF middleware would else answer by
    setting new ones, and a charset of the body, which Django would also read the query string with."""
    request.COOKIES = {}
    request.META.pop("CSRF_COOKIE_NEEDS_UPDATE", None)
    if request.encoding is not None:
        request.encoding = "utf-8"
