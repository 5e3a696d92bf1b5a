"""Who one is once more, before an act that a stranger at an unlocked screen could do most harm with."""

import time
from typing import cast
from urllib.parse import urlencode

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import suspend_request
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from apps.access.models import User


def is_fresh(request: HttpRequest) -> bool:
    """Whether this session gave the password within the last five minutes, at login or since; of somebody without one,
    a code of the second step, or the word of the identity provider that it has just asked him."""
    user = cast(User, request.user)
    records = get_authentication_records(request, user)
    if user.has_usable_password():
        given = [record["at"] for record in records if record.get("method") == "password"]
    else:
        given = [record["at"] for record in records if record.get("method") == "mfa" or record.get("asked")]
    return bool(given) and time.time() - max(given) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def ask_again(request: HttpRequest) -> HttpResponse:
    """To the page that asks; from there back to where one wanted to go, with the form that was sent."""
    page = reverse("account_reauthenticate")
    if getattr(request, "htmx", False):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = f"{page}?{urlencode({'next': request.get_full_path()}, safe='/')}"
        return response
    return suspend_request(request, page)
