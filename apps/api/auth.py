"""Who is asking: the key in `X-API-Key` or `Authorization: Bearer`, never in the URL, never in a cookie."""

from functools import partial

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.access.actions.authenticate_key import authenticate_key
from apps.access.actor import Actor
from apps.access.limits import admit
from apps.access.models import ApiKey
from apps.access.queries import actor_for_key
from apps.core.address import client_address
from apps.core.errors import Malformed


def key_of(request: HttpRequest, *, limited: bool = True) -> ApiKey:
    """The live key of a request, with its project. Raises NotAuthenticated, the same for none and for every bad one,
    Malformed `two_keys` for two different ones, and what `admit` raises, unless it is asked without the key's limits."""
    plain = request.META.get("HTTP_X_API_KEY", "").strip()
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    bearer = credentials.strip() if scheme.lower() == "bearer" else ""
    # A header sent twice arrives as one, joined by a comma, which no key contains.
    if (plain and bearer and plain != bearer) or "," in plain + bearer:
        raise Malformed("two_keys", "Send one API key.")
    address = partial(client_address, request.META)
    key = authenticate_key(plain or bearer, address)
    if limited:
        admit(key, address)
    return key


class KeyAuthentication(BaseAuthentication):
    """REST framework's view of `key_of`: `request.user` is the Actor, `request.auth` the ApiKey."""

    def authenticate(self, request: Request) -> tuple[Actor, ApiKey]:
        key = key_of(request._request, limited=request.parser_context["view"].limited)
        return actor_for_key(key), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasKey(BasePermission):
    """Any valid key; what it may do is asked by the verb."""

    def has_permission(self, request: Request, view: object) -> bool:
        return request.auth is not None
