"""What the views on REST framework share."""

from typing import cast

from rest_framework.views import APIView

import apps.api.openapi.security  # noqa: F401  (registers how KeyAuthentication is described)
from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.api.parsers import OnlyJSON


class KeyView(APIView):
    """A view for holders of a key. JSON in, JSON out, no method but the ones it defines."""

    content_negotiation_class = OnlyJSON
    metadata_class = None
    http_method_names = ["get", "post"]
    # Whether the key's own limits hold here.
    limited = True

    @property
    def actor(self) -> Actor:
        return cast(Actor, self.request.user)

    @property
    def key(self) -> ApiKey:
        return cast(ApiKey, self.request.auth)
