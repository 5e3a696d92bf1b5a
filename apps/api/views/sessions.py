"""What an agent's working memory holds, message by message, as its client sends it."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.policies import require
from apps.api.openapi import dream_schemas, schemas
from apps.api.parsers import object_of
from apps.api.views.base import KeyView
from apps.api.views.dreams import messages_of
from apps.core import values
from apps.core.errors import Invalid
from apps.core.fields import Reader
from apps.core.values import Unfit
from apps.traces.actions.add_session_messages import add_session_messages


class MessagesView(KeyView):
    @extend_schema(
        operation_id="session_messages_create",
        summary="Store the messages of a session",
        description="Roles user, assistant, tool_call, tool_result, reasoning, and summary with what it `stands_for`. A"
        " message is known by its `id` within the session, or without one by its role and words: a repeat changes nothing."
        " Secrets are masked before anything is stored. Scope `traces:write` or `dreams:write`.",
        parameters=[OpenApiParameter("session_id", {"type": "string", "maxLength": 255}, OpenApiParameter.PATH)],
        request={"application/json": dream_schemas.MESSAGES},
        responses=schemas.answers({200: dream_schemas.KEPT}, 400, 403, 409, 413, 415, 422),
    )
    def post(self, request: Request, session_id: str) -> Response:
        require(self.actor, "sessions.write", project_id=self.key.project_id)
        try:
            values.text(session_id, 255, one_line=True)
        except Unfit as bad:
            raise Invalid(bad.code, bad.detail, parameter="session_id") from None
        body = Reader(object_of(request))
        user_id = body.text("user_id", required=False, default="", max_length=255, allow_blank=True)
        messages = messages_of(body, required=True)
        body.done()
        kept = add_session_messages(
            actor=self.actor,
            project_id=self.key.project_id,
            session=session_id,
            messages=messages,
            user_id=user_id,
        )
        return Response({"stored": kept.new, "masked": kept.masked, "dropped": kept.dropped})
