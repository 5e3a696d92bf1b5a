"""A key ends its own life."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.actions.revoke_key import REASONS
from apps.access.actions.revoke_own_key import revoke_own_key
from apps.access.policies import require
from apps.api.openapi import schemas
from apps.api.parsers import object_of
from apps.api.views.base import KeyView
from apps.core.fields import Reader


class RevokeView(KeyView):
    """Whoever finds a key, or sees his own leaked, ends it with nothing but the key: from any address, and while somebody
    else uses up what it may ask in a minute."""

    limited = False

    @extend_schema(
        summary="Revoke the key that asks",
        description="The key of this request stops working with this answer. Needs the key alone.",
        request={"application/json": schemas.REVOKE},
        responses=schemas.answers({200: schemas.REVOKED}, 400, 403, 413, 415, 422),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "keys.revoke_own", project_id=self.key.project_id)
        body = Reader(object_of(request))
        reason = body.choice("reason", REASONS, default="leaked")
        body.done()
        key = revoke_own_key(actor=self.actor, project_id=self.key.project_id, reason=reason)
        return Response({"revoked_at": key.revoked_at})
