"""Values under keys, as frameworks keep them: agent, scope and key hold any text, so they stand in the query or the body."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.api.once import asked_of, idempotency_key_of
from apps.api.openapi import fact_schemas, schemas
from apps.api.parsers import ExactRenderer, object_of
from apps.api.views import reading
from apps.api.views.base import KeyView
from apps.core import values
from apps.core.errors import Invalid
from apps.core.fields import Reader, query_int, query_only
from apps.core.values import Unfit
from apps.curation.actions.put_memory import put_memory
from apps.curation.actions.remove_memories import remove_memories
from apps.curation.memories import MOST_CURSOR, Memory, recall, recall_all, scopes_of
from apps.facts.keyed import MOST_KEY
from apps.recall.queries import reader_for

PLACE = ("agent", "scope", "purpose", "task_type")
_AGENT = OpenApiParameter("agent", {"type": "string", "maxLength": 200}, required=True, description="Its name or id")
_SCOPE = OpenApiParameter(
    "scope",
    {"type": "string", "maxLength": 270},
    required=True,
    description="`user:<id>`, `session:<id>`, or any other name of a thing, taken literally",
)
_KEY = OpenApiParameter("key", {"type": "string", "maxLength": MOST_KEY}, required=True, description="May be empty")
_READ = [
    OpenApiParameter("purpose", {"type": "string", "maxLength": 60}),
    OpenApiParameter("task_type", {"type": "string", "maxLength": 60}),
]
_PAGES = [
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
    OpenApiParameter("cursor", {"type": "string", "maxLength": MOST_CURSOR}),
]


class MemoriesView(KeyView):
    renderer_classes = [ExactRenderer]
    http_method_names = ["get", "put", "delete"]

    @extend_schema(
        operation_id="memories_list",
        summary="Read all of a scope",
        description="In the order of the keys, by code point, page by page. What the key of this request has waiting for a"
        " person is in it, for that key alone. Recorded as a read. Scope `facts:read:user`.",
        parameters=[_AGENT, _SCOPE, *_PAGES, *_READ],
        responses=schemas.answers({200: fact_schemas.MEMORIES}, 400, 403, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "memories.read", project_id=self.key.project_id)
        query_only(request.GET, (*PLACE, "limit", "cursor"))
        page, following = self._page(request)
        return Response({"memories": [_told(one) for one in page], "next": following})

    @extend_schema(
        operation_id="memories_update",
        summary="Keep a value under a key",
        description="Any JSON, null too; it replaces the value before, which stays as a version. 201 where the key had none, 200"
        " where it had, 202 where it waits for a person from now on: its writer reads it meanwhile. A key that begins with `_` is an"
        " agent's own, never reviewed or told. An agent that nobody knows is registered with the scope agent:write."
        " Repeats of one `Idempotency-Key` within a day are done once. Scope `facts:write`; with `proposals:write` it"
        " always waits.",
        parameters=[
            OpenApiParameter(
                "Idempotency-Key", {"type": "string", "maxLength": 200}, OpenApiParameter.HEADER, required=False
            )
        ],
        request={"application/json": fact_schemas.NEW_MEMORY},
        responses=schemas.answers(
            {200: fact_schemas.PUT, 201: fact_schemas.PUT, 202: fact_schemas.PUT}, 400, 403, 409, 413, 415, 422
        ),
    )
    def put(self, request: Request) -> Response:
        require(self.actor, "facts.write", project_id=self.key.project_id)
        sent = object_of(request)
        body = Reader(sent)
        agent = body.text("agent", max_length=200)
        scope = body.text("scope", max_length=270)
        key = body.text("key", max_length=MOST_KEY, allow_blank=True)
        category = body.text("category", required=False, default="general", max_length=60, one_line=True)
        sensitivity = body.choice("sensitivity", SENSITIVITIES, default="internal")
        value = body.json("value", required=False)
        if "value" not in sent:
            body.fault("value", "required", "Is required; it may be null.")
        body.done()
        name = idempotency_key_of(request)
        done = put_memory(
            actor=self.actor,
            project_id=self.key.project_id,
            agent=agent,
            scope=scope,
            key=key,
            value=value,
            category=category,
            sensitivity=sensitivity,
            idempotency_key=name,
            asked=asked_of(sent),
            reader=reader_for(self.key, "", None, None),
        )
        told = {
            "state": done.state,
            "id": done.fact_id,
            "proposal_id": done.proposal.id if done.proposal else None,
            "created": done.created,
            "changed": done.changed,
        }
        return Response(told, status=202 if done.proposal and done.changed else 201 if done.created else 200)

    @extend_schema(
        operation_id="memories_destroy",
        summary="Take out a key, or all of them",
        description="With `key`, that one: 404 `no_such_key` where it has nothing. Without it `all=true` has to be said, and the"
        " scope `facts:clear`. What goes is told no more and stays as a version; only a forget deletes. What a person"
        " pinned, wrote or holds stays: 409 for one key, `kept` for all. A key that proposes asks a person, and reads it"
        " no more meanwhile; all of a scope it can't clear. Scope `facts:write`.",
        parameters=[
            _AGENT,
            _SCOPE,
            OpenApiParameter("key", {"type": "string", "maxLength": MOST_KEY}),
            OpenApiParameter("all", {"type": "string", "enum": ["true"]}),
        ],
        request=None,
        responses=schemas.answers({200: fact_schemas.REMOVED, 202: fact_schemas.REMOVED}, 400, 403, 404, 409, 422),
    )
    def delete(self, request: Request) -> Response:
        params = request.GET
        key = _key(params) if "key" in params else None
        require(self.actor, "facts.write" if key is not None else "facts.clear", project_id=self.key.project_id)
        query_only(params, ("agent", "scope", "key", "all"))
        if (key is None) != reading.flag(params, "all"):
            # So that a key that got lost on the way never means all of them.
            raise Invalid("required", "Say all=true, or which key; not both.", parameter="all")
        done = remove_memories(
            actor=self.actor,
            project_id=self.key.project_id,
            reader=reader_for(self.key, "", None, None),
            agent=_named(params, "agent"),
            scope=_named(params, "scope"),
            key=key,
        )
        told = {"removed": done.removed, "waiting": done.waiting, "kept": done.kept}
        return Response(told, status=202 if done.waiting else 200)

    def _page(self, request: Request) -> tuple[list[Memory], str | None]:
        params = request.GET
        cursor = reading.single(params, "cursor")
        if cursor is not None and len(cursor) > MOST_CURSOR:
            raise Invalid("too_long", "Is no cursor of ours.", parameter="cursor")
        return recall_all(
            actor=self.actor,
            reader=reading.reader_of(params, self.actor, self.key, ""),
            agent=_named(params, "agent"),
            scope=_named(params, "scope"),
            cursor=cursor,
            limit=query_int(params, "limit", 50, 1, 200),
        )


class ValueView(KeyView):
    renderer_classes = [ExactRenderer]
    http_method_names = ["get"]

    @extend_schema(
        operation_id="memories_value_retrieve",
        summary="Read one key",
        description="404 with the code `no_such_key` where nothing is kept, and only then; a stored null is a value. Recorded as"
        " a read. Scope `facts:read:user`.",
        parameters=[_AGENT, _SCOPE, _KEY, *_READ],
        responses=schemas.answers({200: fact_schemas.MEMORY}, 400, 403, 404, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "memories.read", project_id=self.key.project_id)
        params = request.GET
        query_only(params, (*PLACE, "key"))
        if "key" not in params:
            raise Invalid("required", "Is required; it may be empty.", parameter="key")
        found = recall(
            actor=self.actor,
            reader=reading.reader_of(params, self.actor, self.key, ""),
            agent=_named(params, "agent"),
            scope=_named(params, "scope"),
            key=_key(params),
        )
        return Response(_told(found))


class KeysView(MemoriesView):
    http_method_names = ["get"]

    @extend_schema(
        operation_id="memories_keys_list",
        summary="List the keys of a scope",
        description="In their order, by code point, page by page. Recorded as a read. Scope `facts:read:user`.",
        parameters=[_AGENT, _SCOPE, *_PAGES, *_READ],
        responses=schemas.answers({200: fact_schemas.KEYS}, 400, 403, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "memories.read", project_id=self.key.project_id)
        query_only(request.GET, (*PLACE, "limit", "cursor"))
        page, following = self._page(request)
        return Response({"keys": [one.key for one in page], "next": following})


class ScopesView(KeyView):
    http_method_names = ["get"]

    @extend_schema(
        operation_id="memories_scopes_list",
        summary="List an agent's scopes",
        description="Those in which something is kept, in their order. Scope `facts:read:user`.",
        parameters=[_AGENT, *_READ],
        responses=schemas.answers({200: fact_schemas.SCOPES_OF}, 400, 403, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "memories.read", project_id=self.key.project_id)
        query_only(request.GET, ("agent", "purpose", "task_type"))
        reader = reading.reader_of(request.GET, self.actor, self.key, "")
        return Response({"scopes": scopes_of(actor=self.actor, reader=reader, agent=_named(request.GET, "agent"))})


def _told(one: Memory) -> dict[str, Any]:
    return {"key": one.key, "value": one.value, "id": one.fact_id, "updated_at": one.at, "waits": one.waits}


def _named(params: Any, name: str) -> str:
    """A name that is looked up as it was sent. Raises Invalid."""
    sent = reading.required(params, name)
    return _fit(sent, name, 270)


def _key(params: Any) -> str:
    return _fit(reading.single(params, "key") or "", "key", MOST_KEY)


def _fit(sent: str, name: str, most: int) -> str:
    try:
        return values.text(sent, most, allow_blank=True)
    except Unfit as bad:
        raise Invalid(bad.code, bad.detail, parameter=name) from None
