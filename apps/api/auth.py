"""Who is asking: the key in `X-API-Key` or `Authorization: Bearer`, never in the URL, never in a cookie."""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.access.actions.authenticate_key import authenticate_key
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.queries import actor_for_key
from apps.core.errors import Malformed


def key_of(request: HttpRequest) -> ApiKey:
    """The live key of a request, with its project. Raises NotAuthenticated, the same for none and for every bad one,
    and Malformed `two_keys` for two different ones."""
    plain = request.META.get("HTTP_X_API_KEY", "").strip()
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    bearer = credentials.strip() if scheme.lower() == "bearer" else ""
    # A header sent twice arrives as one, joined by a comma, which no key contains.
    if (plain and bearer and plain != bearer) or "," in plain + bearer:
        raise Malformed("two_keys", "Send one API key.")
    return authenticate_key(plain or bearer)


class KeyAuthentication(BaseAuthentication):
    """REST framework's view of `key_of`: `request.user` is the Actor, `request.auth` the ApiKey."""

    def authenticate(self, request: Request) -> tuple[Actor, ApiKey]:
        key = key_of(request._request)
        return actor_for_key(key), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasKey(BasePermission):
    """Any valid key; what it may do is asked by the verb."""

    def has_permission(self, request: Request, view: object) -> bool:
        return request.auth is not None
