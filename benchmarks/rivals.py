"""What the service is measured against: the same read, written as directly as a framework allows.

All of them answer `GET /?agent_id=…&user_id=…&limit=…` with the facts that the service tells, in the same shape, for one
project. None of them checks a key, holds a reader to his rights, drops what is said twice or keeps a ledger.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

import orjson

COLUMNS = (
    "content, id, category, importance, confidence, scope, scope_id, source, approved_at, NULL::float8 AS score,"
    " contested_at AS conflict"
)
LEG = (
    "SELECT {columns} FROM facts_fact WHERE project_id = {{project}} AND {of} AND label = '' AND superseded_at IS NULL"
    " AND retired_at IS NULL AND restricted_at IS NULL AND (expires_at IS NULL OR expires_at > now())"
    " AND (valid_to IS NULL OR valid_to > now()) AND sensitivity <> 'special' ORDER BY importance DESC, id DESC"
)
OF = (
    "agent_id = {agent} AND scope = 'agent' AND scope_id = {agent_name}",
    "agent_id IS NULL AND scope = 'project' AND scope_id = {slug}",
    "agent_id IS NULL AND scope = 'user' AND scope_id = {user}",
    "agent_id = {agent} AND scope = 'user' AND scope_id = {user}",
)
ROWS = (
    " UNION ALL ".join(f"({LEG.format(columns=COLUMNS, of=of)})" for of in OF)
    + " ORDER BY importance DESC, id DESC LIMIT {limit}"
)
AGENT = "(SELECT id FROM tenancy_agent WHERE project_id = {project} AND name = {agent_name})"
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Asgi = Callable[[dict[str, Any], Callable[..., Awaitable[Any]], Callable[..., Awaitable[Any]]], Awaitable[None]]


def statement(style: str) -> str:
    """The read with placeholders for psycopg ("%") or asyncpg ("$")."""
    names = ["project", "slug", "agent_name", "user", "limit"]
    types = {"project": "bigint", "limit": "int"}
    marks = {
        name: f"%({name})s::{types.get(name, 'text')}" if style == "%" else f"${n}::{types.get(name, 'text')}"
        for n, name in enumerate(names, 1)
    }
    return ROWS.format(agent=AGENT.format(**marks), **marks)


def raw_wsgi(database_url: str, project: int, slug: str) -> Wsgi:
    """The yardstick: one prepared statement in psycopg, rows as dicts, orjson."""
    import psycopg
    from psycopg.rows import dict_row

    connection = psycopg.connect(database_url, autocommit=True, row_factory=dict_row)
    sql = statement("%")

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        sent = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
        asked = {"project": project, "slug": slug, "agent_name": sent["agent_id"], "user": sent.get("user_id")}
        asked["limit"] = int(sent["limit"])
        rows = connection.execute(sql, asked, prepare=True, binary=True).fetchall()
        body = orjson.dumps({"facts": rows})
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    return application


def fastapi_asyncpg(database_url: str, project: int, slug: str) -> Asgi:
    """FastAPI, asyncpg and orjson; the connection is made by the first request, and prepares the statement itself."""
    import asyncpg
    from fastapi import FastAPI, Header, Response

    app = FastAPI()
    sql = statement("$")
    kept: dict[str, Any] = {}

    @app.get("/memory/facts")
    async def facts(
        agent_id: str, user_id: str | None = None, limit: int = 50, x_api_key: str = Header("")
    ) -> Response:
        if "connection" not in kept:
            kept["connection"] = await asyncpg.connect(database_url)
        rows = await kept["connection"].fetch(sql, project, slug, agent_id, user_id, limit)
        return Response(orjson.dumps({"facts": [dict(row) for row in rows]}), media_type="application/json")

    asgi: Asgi = app
    return asgi


def drf_serializer(project: int, slug: str) -> Wsgi:
    """The usual way, ModelSerializer in an APIView behind the product's middleware: far over the goal."""
    from django.core.handlers.wsgi import WSGIHandler
    from django.db.models import Q
    from django.test.utils import override_settings
    from django.urls import path
    from rest_framework import renderers, serializers
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.views import APIView

    from apps.core.transactions import bind
    from apps.facts.models import Fact
    from apps.tenancy.models import Agent

    class FactSerializer(serializers.ModelSerializer[Fact]):
        class Meta:
            model = Fact
            fields = [
                "content", "id", "category", "importance", "confidence", "scope", "scope_id", "source", "approved_at",
                "contested_at",
            ]  # fmt: skip

    class View(APIView):
        authentication_classes: list[Any] = []
        permission_classes: list[Any] = []
        renderer_classes = [renderers.JSONRenderer]

        def get(self, request: Request) -> Response:
            asked = request.query_params
            with bind(project):
                agent = Agent.objects.get(project_id=project, name=asked["agent_id"])
                own = Q(agent=agent, scope="agent", scope_id=agent.name)
                shared = Q(agent=None, scope="project", scope_id=slug)
                users = Q(scope="user", scope_id=asked.get("user_id"))
                facts = Fact.objects.in_project(project).active().filter(own | shared | users).exclude(
                    sensitivity="special"
                )  # fmt: skip
                ordered = facts.order_by("-importance", "-id")[: int(asked["limit"])]
                return Response({"facts": FactSerializer(ordered, many=True).data})

    class Urls:
        urlpatterns = [path("bench/facts", View.as_view())]

    with override_settings(ROOT_URLCONF=Urls):
        handler = WSGIHandler()

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with override_settings(ROOT_URLCONF=Urls):
            return handler(environ | {"PATH_INFO": "/bench/facts"}, start_response)

    return application
