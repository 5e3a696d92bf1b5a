from django.http import HttpRequest, HttpResponse


def listing(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(status=501)


new = detail = edit = forget = listing
