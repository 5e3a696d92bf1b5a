"""Dream runs for agents' back ends: a session's end starts one, and what it would change is read here; people decide in the
console."""

import hashlib
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES, ApiKey
from apps.access.policies import Refused, require
from apps.api.once import asked_of, idempotency_key_of
from apps.api.openapi import dream_schemas, schemas
from apps.api.parsers import object_of
from apps.api.views.base import KeyView
from apps.core.errors import Invalid, NotFound
from apps.core.fields import Reader, query_choice, query_int, query_only, query_text
from apps.core.keyset import keyset_page
from apps.core.transactions import bind
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.diff import GROUP_OF, changes_shown, counts_known_to, facts_of, known_to, runs_shown
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.states import RUN_STATES
from apps.facts.models import SCOPES
from apps.recall.queries import reader_for
from apps.tenancy.models import Agent
from apps.tenancy.queries import find_agent
from apps.traces.actions.add_session_messages import LONGEST, MOST, NewMessage, add_session_messages
from apps.traces.models import SESSION_ROLES

SHARED = {"agent", "project"}
"""Scopes whose facts a key with `facts:read` may know; of others it needs `facts:read:user` too."""
LIST = ("state", "scope", "scope_id", "limit", "cursor")


class DreamsView(KeyView):
    @extend_schema(
        summary="Start a dream run",
        description="For the end of a session: `messages` is what the agent's working memory holds then; it is stored once,"
        " message by message. Answers 202 for a new run, and 200 for one that waits or goes on in that place already, or"
        " that the same `Idempotency-Key` asked for. A run proposes; people decide. Scope `dreams:write`.",
        parameters=[
            OpenApiParameter(
                "Idempotency-Key", {"type": "string", "maxLength": 200}, OpenApiParameter.HEADER, required=False
            )
        ],
        request={"application/json": dream_schemas.START},
        responses=schemas.answers(
            {200: dream_schemas.STARTED, 202: dream_schemas.STARTED}, 400, 403, 404, 409, 413, 415, 422
        ),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "dreams.start", project_id=self.key.project_id)
        sent = object_of(request)
        body = Reader(sent)
        scope = body.choice("scope", SCOPES)
        scope_id = body.text("scope_id", required=False, default="", max_length=255, allow_blank=True)
        session = body.text("session", required=False, default="", max_length=255, allow_blank=True, one_line=True)
        dry_run = body.boolean("dry_run", required=False, default=False)
        messages = messages_of(body, required=False)
        body.done()
        if messages and not session:
            raise Invalid("required", "Messages belong to a session: name it.", pointer="/session")
        name = idempotency_key_of(request)
        _named(self.actor, self.key.project_id, scope, scope_id)
        with bind(self.key.project_id):
            if messages:
                add_session_messages(
                    actor=self.actor,
                    project_id=self.key.project_id,
                    session=session,
                    messages=messages,
                    user_id=scope_id if scope == "user" else "",
                )
            started = start_dream(
                actor=self.actor,
                project_id=self.key.project_id,
                scope=scope,
                scope_id=scope_id,
                origin="session" if session else "api",
                dry_run=dry_run,
                session=session,
                idempotency_key=name,
                asked=asked_of(sent),
            )
        told = {"id": started.run.id, "state": started.run.state, "created": started.created}
        return Response(told, status=202 if started.created else 200)

    @extend_schema(
        summary="List dream runs",
        description="Newest first. A key that is kept to some agents sees the runs of those alone, and of the project."
        " Scope `dreams:write`.",
        parameters=[
            OpenApiParameter("state", {"type": "string", "enum": RUN_STATES}),
            OpenApiParameter("scope", {"type": "string", "enum": SCOPES}),
            OpenApiParameter("scope_id", {"type": "string", "maxLength": 255}),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
            OpenApiParameter("cursor", {"type": "string"}),
        ],
        responses=schemas.answers({200: dream_schemas.RUNS}, 400, 403, 422),
    )
    def get(self, request: Request) -> Response:
        require(self.actor, "dreams.read", project_id=self.key.project_id)
        params = request.GET
        query_only(params, LIST)
        asked = {
            "state": query_choice(params, "state", "", RUN_STATES),
            "scope": query_choice(params, "scope", "", SCOPES),
            "scope_id": query_text(params, "scope_id", "", max_length=255),
        }
        with bind(self.key.project_id):
            runs = _visible(self.actor, self.key).filter(**{name: value for name, value in asked.items() if value})
            page = keyset_page(
                runs,
                order=("-id",),
                cursor=query_text(params, "cursor", "", max_length=2_000) or None,
                limit=query_int(params, "limit", 50, 1, 200),
                context=f"{self.key.id} dreams {asked}",
            )
            counts = counts_known_to(reader_for(self.key, "", None, None), [run.id for run in page.rows])
        told = [_run(run, self.key, counts[run.id]) for run in page.rows]
        return Response({"runs": told, "next": page.older, "previous": page.newer})


class DreamView(KeyView):
    @extend_schema(
        operation_id="dream_retrieve",
        summary="Read what a dream run would change",
        description="The run with its phases, and its changes, 200 at a time, as before and after: those that the key may know"
        " of by sensitivity, category and purpose."
        " Text is null unless the key has the scope `facts:read`, and for a user, a session or another scope"
        " `facts:read:user` too. Scope `dreams:write`.",
        parameters=[
            OpenApiParameter("run_id", {"type": "integer"}, OpenApiParameter.PATH),
            OpenApiParameter("cursor", {"type": "string"}),
        ],
        responses=schemas.answers({200: dream_schemas.DIFF}, 400, 403, 404, 422),
    )
    def get(self, request: Request, run_id: int) -> Response:
        require(self.actor, "dreams.read", project_id=self.key.project_id)
        query_only(request.GET, ["cursor"])
        seen, reader = self.key.allowed_sensitivities, reader_for(self.key, "", None, None)
        with bind(self.key.project_id):
            run = _visible(self.actor, self.key).filter(id=run_id).first() if run_id < 2**63 else None
            if run is None:
                raise NotFound("not_found", "There is no such run.")
            page = keyset_page(
                changes_shown(self.key.project_id, run_id, seen).filter(id__in=known_to(reader).values("id")),
                order=("place", "id"),
                cursor=query_text(request.GET, "cursor", "", max_length=2_000) or None,
                limit=200,
                context=f"{self.key.id} dream {run_id}",
            )
            counts = counts_known_to(reader, [run_id])[run_id]
        reads = "facts:read" in self.actor.scopes and (run.scope in SHARED or "facts:read:user" in self.actor.scopes)
        told = _run(run, self.key, counts) | {
            "phases": [_phase(phase) for phase in run.shown["phases"]],
            "changes": [_change(change, seen if reads else []) for change in page.rows],
            "next": page.older,
            "previous": page.newer,
        }
        return Response(told)


def messages_of(body: Reader, *, required: bool) -> list[NewMessage]:
    """The messages of a body. One without an id is known by its words, its role, and how often they came before it in the
    same body, so that a snapshot sent again brings nothing twice. Use them only after the body's ``done``."""
    found, times = [], dict[tuple[str, str], int]()
    for item in body.objects("messages", max_items=MOST, min_items=1 if required else 0, required=required) or []:
        name = item.text("id", required=False, default="", max_length=120, one_line=True)
        role = item.choice("role", SESSION_ROLES)
        content = item.text("content", max_length=LONGEST, allow_blank=True)
        at = item.timestamp("at", required=False, default=None)
        stands_for = item.text_list("stands_for", max_length=120, max_items=MOST, required=False, default=[])
        said = (str(role), str(content))
        times[said] = times.get(said, 0) + 1
        found.append(
            NewMessage(
                external_id=name or _name_of(*said, times[said]),
                role=said[0],
                content=said[1],
                at=at,
                stands_for=tuple(stands_for or ()),
            )
        )
    return found


def _name_of(role: str, content: str, time: int) -> str:
    words = f"{role}\n{time}\n{content}".encode("utf-8", "surrogatepass")
    return f"sha256:{hashlib.sha256(words).hexdigest()[:40]}"


def _named(actor: Actor, project_id: int, scope: str, scope_id: str) -> None:
    """A key that is kept to some agents starts runs of those alone. Raises Refused."""
    if actor.agents is None or scope != "agent":
        return
    with bind(project_id):
        agent = find_agent(project_id=project_id, name_or_id=scope_id)
    # Whether there is such an agent or not.
    if agent is None or agent.id not in actor.agents:
        raise Refused(actor, "dreams.start", "This key may not name that agent.", project_id)


def _visible(actor: Actor, key: ApiKey) -> Any:
    runs = runs_shown(key.project_id, key.allowed_sensitivities)
    if actor.agents is None:
        return runs
    names = Agent.objects.filter(project_id=key.project_id, id__in=actor.agents).values("name")
    return runs.filter(scope="project") | runs.filter(scope="agent", scope_id__in=names)


def _run(run: DreamRun, key: ApiKey, counts: dict[str, int]) -> dict[str, Any]:
    knows_all = key.categories is None and key.purposes is None and key.sensitivity_ceiling == SENSITIVITIES[-1]
    return {
        "id": run.id,
        "scope": run.scope,
        "scope_id": run.scope_id,
        "session": run.shown["session"],  # type: ignore[attr-defined]
        "origin": run.origin,
        "dry_run": run.dry_run,
        "engine": run.engine,
        "state": run.state,
        "phase": run.phase if run.is_open else None,
        # How many there are beyond its grants is nothing a key is told.
        "facts_before": run.facts_before if knows_all else None,
        "counts": counts,
        "tool_calls": run.tool_calls,
        "prompt_tokens": run.prompt_tokens,
        "completion_tokens": run.completion_tokens,
        "cost": None if run.cost is None else float(run.cost),
        "stop_reason": run.stop_reason,
        "error": run.error_code,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
    }


def _phase(row: dict[str, Any]) -> dict[str, Any]:
    names = (
        "name",
        "state",
        "attempts",
        "started_at",
        "finished_at",
        "tool_calls",
        "prompt_tokens",
        "completion_tokens",
    )
    return {name: row[name] for name in names} | {"error": row["error_code"]}


def _change(change: DreamChange, seen: list[str]) -> dict[str, Any]:
    """``seen``: labels whose text the key may read; none of it where it may read no text."""

    def words(text: str, label: str) -> str | None:
        return text if label in seen else None

    return {
        "id": change.id,
        "group": GROUP_OF[change.op],
        "op": change.op,
        "state": change.state,
        "safe": change.safe,
        "flags": change.flags,
        "rule": change.rule,
        "reason": words(change.reason, change.sensitivity),
        "before": [
            {
                "fact_id": one["fact"],
                "role": one["role"],
                "content": words(one["content"], one["sensitivity"]),
                "current": one["current"],
                "superseded_by": one["superseded_by"],
            }
            for one in facts_of(change)
        ],
        "after": words(change.content, change.sensitivity) if change.content else "",
        "fact_id": change.fact_id,
        "evidence": [
            {
                "fact_id": one["fact"],
                "trace_id": one["trace"],
                "role": one["role"],
                "quote": words(one["text"], change.sensitivity) if one["text"] else None,
            }
            for one in change.shown["evidence"]  # type: ignore[attr-defined]
        ],
        "trust": change.trust,
        "confidence": change.confidence,
        "sensitivity": change.sensitivity,
        "why": change.why,
        "decided_at": change.decided_at,
    }
