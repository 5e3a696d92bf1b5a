"""Pages for what went wrong outside a verb."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form came without its token, mostly from a page that was open across a login."""
    return render(request, "403.html", {"detail": "The form has expired. Load the page again."}, status=403)
