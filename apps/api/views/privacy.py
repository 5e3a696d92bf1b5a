"""Privacy requests from agents' back ends: opened and looked at here, handled by people in the console."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.policies import require
from apps.api.openapi import schemas
from apps.api.parsers import object_of
from apps.api.views.base import KeyView
from apps.core.errors import Invalid
from apps.core.fields import Reader, query_only, query_text
from apps.core.transactions import bind
from apps.privacy.actions.open_request import open_request
from apps.privacy.mentions import Identifier
from apps.privacy.models import IDENTITY_KINDS, PrivacyRequest
from apps.privacy.states import KINDS
from apps.recall.queries import reader_for


class RequestsView(KeyView):
    @extend_schema(
        summary="Open a privacy request",
        description="What a user asks about what is remembered of him. A person checks who he is, decides and, for an "
        "erasure, has a second person approve it; a key can do none of that. A second open request of one kind about one "
        "user answers with state `duplicate`. Scope `privacy:open`.",
        request={"application/json": schemas.OPEN_REQUEST},
        responses=schemas.answers({201: schemas.PRIVACY_REQUEST}, 400, 403, 413, 415, 422),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "privacy.open", project_id=self.key.project_id)
        body = Reader(object_of(request))
        kind = body.choice("kind", KINDS)
        # An empty one is refused by the verb, as 400: it would be everybody.
        user_id = body.text("user_id", required=False, default="", max_length=1_000, allow_blank=True)
        wish = body.text("message", required=False, default="", max_length=4_000, allow_blank=True)
        fact_id = body.integer("fact_id", 1, 2**63 - 1, required=False, default=None)
        correction = body.text("correction", required=False, default="", max_length=2_000, allow_blank=True)
        identities = [
            Identifier(item.choice("kind", IDENTITY_KINDS), item.text("value", max_length=255))
            for item in body.objects("identities", max_items=20, required=False) or []
        ]
        body.done()
        opened = open_request(
            actor=self.actor,
            project_id=self.key.project_id,
            kind=kind,
            external_id=user_id,
            identities=identities,
            wish=wish,
            fact_id=fact_id,
            correction=correction,
            reader=reader_for(self.key, "", None, None),
        )
        return Response(_told(opened), status=201)


class OpenedView(KeyView):
    @extend_schema(
        summary="Look how privacy requests stand",
        description="Those that this key opened, newest first, 100 at most, or the one of `id`. Scope `privacy:open`.",
        parameters=[OpenApiParameter("id", {"type": "string", "format": "uuid"})],
        responses=schemas.answers({200: schemas.PRIVACY_REQUESTS}, 403, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "privacy.open", project_id=self.key.project_id)
        query_only(request.GET, ["id"])
        with bind(self.key.project_id):
            found = PrivacyRequest.objects.filter(project_id=self.key.project_id, opened_by=self.actor.name)
            if number := query_text(request.GET, "id", max_length=36):
                found = found.filter(id=_uuid(number))
            rows = [_told(row) for row in found.order_by("-number")[:100]]
        return Response({"requests": rows})


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid("invalid_uuid", "Is not the id of a request.", parameter="id") from None


def _told(request: PrivacyRequest) -> dict[str, Any]:
    return {
        "id": request.id,
        "number": request.number,
        "kind": request.kind,
        "state": request.state,
        "received_at": request.received_at,
        "due_at": request.extended_until or request.due_at,
        "finished_at": request.finished_at,
    }
