"""The page behind a link to a package: for the person, who has no account here."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from apps.core.errors import NotFound
from apps.privacy.actions.open_package import open_package


@require_http_methods(["GET", "HEAD", "POST"])
def package(request: HttpRequest, token: str) -> HttpResponse:
    """A GET says what is there and fetches nothing, since mail programs look at links; the button takes the file, once."""
    response: HttpResponse
    if request.method == "POST":
        try:
            content = open_package(token=token)
        except NotFound:
            response = render(request, "console/privacy/package.html", {"gone": True}, status=404)
        else:
            response = HttpResponse(content, content_type="application/zip")
            response["Content-Disposition"] = 'attachment; filename="what-is-remembered.zip"'
    else:
        response = render(request, "console/privacy/package.html", {"gone": False})
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
