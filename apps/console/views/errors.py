"""Pages for what went wrong outside a verb."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from apps.core.request_id import current_request_id


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form came without its token, mostly from a page that was open across a login."""
    return render(request, "403_csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No path leads there. Nothing of the address is repeated."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours, or a database that is away before any view can say so: the session is read from it."""
    # Without the request: the context processors would ask the database again.
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        response = HttpResponse(render_to_string("503.html"), status=503)
        response["Retry-After"] = "5"
        return response
    return HttpResponse(render_to_string("500.html", {"request_id": current_request_id()}), status=500)
