"""Facts that clients write, replace and take out again."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.api.openapi import fact_schemas, schemas
from apps.api.parsers import ExactRenderer, object_of
from apps.api.versions import etag_of, version_seen
from apps.api.views import reading
from apps.api.views.base import KeyView
from apps.api.views.fact_list import listing, told
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.fields import MAX_ID, Reader, query_choice, query_only, query_text
from apps.core.text import MAX_CONTENT
from apps.core.values import EPOCH
from apps.curation.actions.change_fact import change_fact
from apps.curation.actions.supersede_fact import supersede_fact
from apps.curation.actions.write_fact import write_fact
from apps.curation.writing import SOURCES, Word
from apps.facts.keyed import Slot
from apps.facts.models import MEMORY_TYPES, SCOPES
from apps.facts.statement import Statement
from apps.privacy.actions.clear_facts import clear_facts
from apps.privacy.actions.remove_fact import remove_fact
from apps.recall.clients import one_fact
from apps.recall.queries import reader_for

CLEAR = ("scope", "scope_id", "label", "content", "all")


class FactsView(KeyView):
    http_method_names = ["get", "post", "delete"]

    @extend_schema(exclude=True)  # said in paths.yaml, with the other plain reads
    def get(self, request: Request) -> HttpResponse:
        return listing(request._request)

    @extend_schema(
        operation_id="facts_create",
        summary="Add a fact",
        description="Idempotent by its words in its place and `label`: 201 for a new one, 200 with the id of the one that says"
        " it already. Words that were closed there are not told again by saying them again: 200 with `state` `closed`."
        " With a key that proposes, and for what reads like an order to an agent, 202 (200 if it waits there already): a"
        " person looks first, and only the writer sees it. An agent that nobody knows is registered with the scope agent:write. Scope `facts:write`; with"
        " `proposals:write` it is always a proposal.",
        request={"application/json": fact_schemas.NEW_FACT},
        responses=schemas.answers(
            {200: fact_schemas.WRITTEN, 201: fact_schemas.WRITTEN, 202: fact_schemas.WRITTEN},
            400,
            403,
            409,
            413,
            415,
            422,
        ),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "facts.write", project_id=self.key.project_id)
        word = word_of(Reader(object_of(request)))
        done = write_fact(
            actor=self.actor, project_id=self.key.project_id, word=word, reader=reader_for(self.key, "", None, None)
        )
        if done.proposal is not None:
            state = "held" if done.proposal.state == "quarantined" else "waiting"
            body: dict[str, Any] = {
                "id": None,
                "created": done.created,
                "state": state,
                "proposal_id": done.proposal.id,
            }
            return Response(body, status=202 if done.created else 200)
        assert done.fact is not None
        state = "told" if done.fact.is_current else "closed"
        body = {"id": done.fact.id, "created": done.created, "state": state, "proposal_id": None}
        return Response(body, status=201 if done.created else 200)

    @extend_schema(
        operation_id="facts_destroy",
        summary="Forget the facts of a scope id",
        description="With `content`, those of these words, closed versions too: scope `facts:write`. Without it all statements"
        " of the scope id and `label`, and then `all=true` has to be said: scope `facts:clear`, and `facts:read:all` for"
        " `scope_id=*`. Values under keys stay. Each goes with its history, evidence and proposals; what went is counted."
        " Needs a key that writes directly.",
        parameters=[
            OpenApiParameter("scope", {"type": "string", "enum": SCOPES}, required=True),
            OpenApiParameter("scope_id", {"type": "string", "maxLength": 255}),
            OpenApiParameter("label", {"type": "string", "maxLength": 255, "default": ""}),
            OpenApiParameter("content", {"type": "string", "maxLength": MAX_CONTENT}),
            OpenApiParameter("all", {"type": "string", "enum": ["true"]}),
        ],
        request=None,
        responses=schemas.answers({200: fact_schemas.FORGOTTEN}, 400, 403, 409, 422),
    )
    def delete(self, request: Request) -> Response:
        params = request.GET
        content = query_text(params, "content", None, max_length=MAX_CONTENT, allow_blank=False)
        require(self.actor, "facts.clear" if content is None else "facts.write", project_id=self.key.project_id)
        query_only(params, CLEAR)
        scope = query_choice(params, "scope", None, SCOPES)
        if scope is None:
            raise Invalid("required", "Is required.", parameter="scope")
        if (content is None) != reading.flag(params, "all"):
            raise Invalid("required", "Say all=true, or which content; not both.", parameter="all")
        gone = clear_facts(
            actor=self.actor,
            project_id=self.key.project_id,
            reader=reader_for(self.key, "", None, None),
            scope=scope,
            scope_id=query_text(params, "scope_id", "", max_length=255),
            label=query_text(params, "label", "", max_length=255),
            content=content,
        )
        return Response(gone.as_dict() | {"proposal_id": None})


class FactView(KeyView):
    renderer_classes = [ExactRenderer]
    http_method_names = ["get", "patch", "delete"]

    @extend_schema(
        operation_id="facts_retrieve",
        summary="Read one fact",
        description="One version by its number, closed ones with the scope facts:history; what the key wrote itself in any"
        " case. Recorded as a read. Scope `facts:read`, and `facts:read:user` for a user's, a session's or another thing's.",
        parameters=[
            OpenApiParameter("fact_id", {"type": "integer"}, OpenApiParameter.PATH),
            OpenApiParameter("purpose", {"type": "string", "maxLength": 60}),
            OpenApiParameter("task_type", {"type": "string", "maxLength": 60}),
        ],
        responses=schemas.answers({200: fact_schemas.FACT}, 400, 403, 404, 422),
    )
    def get(self, request: Request, fact_id: int) -> Response:
        require(self.actor, "facts.read", project_id=self.key.project_id)
        query_only(request.GET, ("purpose", "task_type"))
        row = one_fact(
            reading.reader_of(request.GET, self.actor, self.key, ""),
            self.actor.name,
            min(fact_id, MAX_ID),
            users="facts:read:user" in self.actor.scopes,
            history="facts:history" in self.actor.scopes,
        )
        return Response(told(row), headers={"ETag": etag_of(row["id"], row["updated_at"])})

    @extend_schema(
        operation_id="facts_partial_update",
        summary="Change a fact",
        description="A new version in its place, told no wider than before; fields that are left out stay. `If-Match` has to name"
        " the version that was read, by its `ETag` or `*`: 428 without it, 412 where the fact was changed since, and nothing is"
        " written. A key that proposes asks a person: 202. What a person pinned, wrote or holds stays: 409. Scope"
        " `facts:write`; with `proposals:write` it is always a proposal.",
        parameters=[
            OpenApiParameter("fact_id", {"type": "integer"}, OpenApiParameter.PATH),
            OpenApiParameter("If-Match", {"type": "string"}, OpenApiParameter.HEADER, required=True),
        ],
        request={"application/json": fact_schemas.CHANGED_FACT},
        responses=schemas.answers(
            {200: fact_schemas.SUPERSEDED, 202: fact_schemas.SUPERSEDED}, 400, 403, 404, 409, 412, 413, 415, 422, 428
        ),
    )
    def patch(self, request: Request, fact_id: int) -> Response:
        require(self.actor, "facts.write", project_id=self.key.project_id)
        changes = changes_of(Reader(object_of(request)))
        done = change_fact(
            actor=self.actor,
            project_id=self.key.project_id,
            reader=reader_for(self.key, "", None, None),
            fact_id=min(fact_id, MAX_ID),
            seen=version_seen(request, fact_id),
            changes=changes,
        )
        proposal_id = done.proposal.id if done.proposal else None
        headers = {} if proposal_id else {"ETag": etag_of(done.fact.id, done.fact.updated_at)}
        told_of = {"id": done.fact.id, "proposal_id": proposal_id}
        return Response(told_of, status=202 if proposal_id else 200, headers=headers)

    @extend_schema(
        operation_id="facts_forget",
        summary="Forget one fact",
        description="With its history, evidence and proposals; answers what went, counted. A key that proposes asks a person to"
        " retire it: 202 with the proposal. What a person pinned, wrote or holds stays: 409. Scope `facts:write`.",
        parameters=[OpenApiParameter("fact_id", {"type": "integer"}, OpenApiParameter.PATH)],
        request=None,
        responses=schemas.answers({200: fact_schemas.FORGOTTEN, 202: fact_schemas.FORGOTTEN}, 400, 403, 404, 409, 422),
    )
    def delete(self, request: Request, fact_id: int) -> Response:
        require(self.actor, "facts.write", project_id=self.key.project_id)
        query_only(request.GET, ())
        removed = remove_fact(
            actor=self.actor,
            project_id=self.key.project_id,
            reader=reader_for(self.key, "", None, None),
            fact_id=min(fact_id, MAX_ID),
        )
        if removed.counts is None:
            assert removed.proposal is not None
            nothing = dict.fromkeys(fact_schemas.COUNTS, 0)
            return Response(nothing | {"proposal_id": removed.proposal.id}, status=202)
        return Response(removed.counts.as_dict() | {"proposal_id": None})


class SupersedeView(KeyView):
    http_method_names = ["post"]

    @extend_schema(
        operation_id="facts_supersede",
        summary="Replace one fact by another",
        description="Both are there and of one place: the fact of the path is closed in favour of `by`. Said again it changes"
        " nothing. A key that proposes asks a person: 202. Scope `facts:write`.",
        parameters=[OpenApiParameter("fact_id", {"type": "integer"}, OpenApiParameter.PATH)],
        request={"application/json": fact_schemas.SUPERSEDE},
        responses=schemas.answers(
            {200: fact_schemas.SUPERSEDED, 202: fact_schemas.SUPERSEDED}, 400, 403, 404, 409, 413, 415, 422
        ),
    )
    def post(self, request: Request, fact_id: int) -> Response:
        require(self.actor, "facts.write", project_id=self.key.project_id)
        body = Reader(object_of(request))
        by_id = body.integer("by", 1, MAX_ID)
        body.done()
        done = supersede_fact(
            actor=self.actor,
            project_id=self.key.project_id,
            reader=reader_for(self.key, "", None, None),
            fact_id=min(fact_id, MAX_ID),
            by_id=by_id,
        )
        proposal_id = done.proposal.id if done.proposal else None
        return Response({"id": done.fact.id, "proposal_id": proposal_id}, status=202 if proposal_id else 200)


def changes_of(body: Reader) -> dict[str, Any]:
    """The fields of a statement that a body names. Raises Invalid with a pointer a field, and where it names none."""
    named = {
        "content": body.text("content", required=False, max_length=MAX_CONTENT),
        "category": body.text("category", required=False, max_length=60, one_line=True),
        "memory_type": body.choice("memory_type", MEMORY_TYPES, required=False),
        "confidence": body.number("confidence", 0, 1, required=False),
        "importance": body.number("importance", 0, 1, required=False),
        "sensitivity": body.choice("sensitivity", SENSITIVITIES, required=False),
        "expires_at": body.timestamp("expires_at", required=False, allow_future=True),
    }
    body.done()
    changes = {name: value for name, value in named.items() if value is not None}
    if not changes:
        raise Invalid("required", "Say what is to be changed.", pointer="")
    return changes


def word_of(body: Reader) -> Word:
    """The statement of a body. Raises Invalid with a pointer a field."""
    told_to: dict[str, Any] = {
        "scope": body.choice("scope", SCOPES),
        "scope_id": body.text("scope_id", required=False, default="", max_length=255, allow_blank=True, one_line=True),
        "agent_name": body.text("agent", required=False, default="", max_length=200, allow_blank=True, one_line=True),
    }
    content = body.text("content", max_length=MAX_CONTENT)
    marks: dict[str, Any] = {
        "category": body.text("category", required=False, default="general", max_length=60, one_line=True),
        "memory_type": body.choice("memory_type", MEMORY_TYPES, default="semantic"),
        "confidence": body.number("confidence", 0, 1, default=1.0),
        "importance": body.number("importance", 0, 1, default=0.5),
        "sensitivity": body.choice("sensitivity", SENSITIVITIES, default="internal"),
        "expires_at": body.timestamp("expires_at", required=False, allow_future=True, default=None),
    }
    label = body.text("label", required=False, default="", max_length=255, allow_blank=True, one_line=True)
    source = body.choice("source", SOURCES, default="agent")
    trace_id = body.text("source_trace_id", required=False, default=None, max_length=32, one_line=True)
    observed_at = body.timestamp("observed_at", required=False, earliest=EPOCH, default=None)
    body.done()
    return Word(
        statement=Statement(content=content, **told_to, **marks),
        slot=Slot(label=label),
        source=source,
        source_trace_id=trace_id,
        observed_at=observed_at or now(),
    )
