"""A key's text stands in no log, in no answer and in no row, wherever somebody puts it."""

from urllib.parse import quote

import httpx
from django.db import connections

from apps.access.keys import make_key as new_key
from tests.factories import make_agent, make_key, make_project
from tests.live import Live


def test_neither_logs_nor_answers_nor_rows_have_it(server: Live) -> None:
    project = make_project("acme")
    make_agent(project, "support")
    good = make_key(project, ["facts:read", "traces:write", "agent:write"])[1]
    revoked, unknown = make_key(project, revoked=True)[1], new_key().text
    told = []
    with httpx.Client(base_url=server.url, timeout=20) as client:
        for text in (good, revoked, unknown):
            secret, header = text.split("_")[2], {"X-API-Key": text}
            asked = [
                client.get("/v1/auth/check", headers=header),
                client.get("/v1/auth/check", headers={"Authorization": f"Bearer {text}"}),
                client.get("/v1/auth/check", headers={"Authorization": f"Basic {text}"}),
                client.get("/v1/auth/check", headers={"X-API-Key": text[:-1]}),
                client.get("/v1/auth/check", headers=[("X-API-Key", text), ("X-API-Key", unknown)]),
                client.get("/v1/auth/check", headers=[("Authorization", f"Bearer {text}")] * 2),
                client.get("/v1/auth/check", params={"api_key": text}),
                client.get(f"/v1/facts/{text}", headers=header),
                client.get(f"/v1/{text}", headers=header),
                client.request(text.replace("_", "-"), "/v1/auth/check", headers=header),
                client.get("/v1/auth/check", headers=header | {"X-Request-ID": text}),
                client.get("/v1/auth/check", headers=header | {"Referer": f"http://x/?k={text}", "User-Agent": text}),
                client.get("/v1/memory/facts", headers=header, params={"agent_id": text, "limit": text}),
                client.post("/v1/sdk/agents", headers=header, json={text: 1}),
                client.post("/v1/traces/ingest", headers=header, content=f'{{"spans": [{{"{text}"'.encode()),
                client.post("/v1/traces/ingest", headers=header | {"Content-Encoding": text}, json={"spans": []}),
                client.post("/api/v1/auth/login", json={"email": f"{text}@example.test", "password": text}),
                client.get(f"/p/{text}/facts"),
                client.get("/account/login/", params={"next": f"/{text}"}),
                client.get(f"/{quote(text)}"),
                client.get("/healthz", headers={"Host": text.replace("_", "-")}),
            ]
            # What a client says of itself, its request's id and where it wants to go after the login, comes back to it alone.
            own = {10, 17, 18}
            for number, answer in enumerate(asked):
                assert answer.status_code < 500, (number, answer.text)
                if number not in own:
                    assert secret not in answer.text + str(answer.headers), (number, answer.text[:300])
            told.append(secret)
    log = server.said()
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        )
        tables = [table for (table,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(f"SELECT coalesce(string_agg(t::text, '|'), '') FROM {table} t")
            (rows,) = cursor.fetchone()
            assert not [secret for secret in told if secret in rows], table
    assert len(tables) > 40 and log
    assert not [secret for secret in told if secret in log]
