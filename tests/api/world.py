"""Two projects behind a live server, with something of every kind that a bad request could reach for."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
from django.http import HttpResponse

from apps.access.keys import make_key as a_key
from apps.access.scopes import SCOPES
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.api.bad import MARK, Row, Sent
from tests.api.helpers import get
from tests.dreaming import stage as dreams
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.live import Live


@dataclass
class Stage:
    """`keys` by the names that requests ask with, `ids` what stands for `{own}` and the like."""

    client: httpx.Client
    server: Live
    project: Project
    keys: dict[str, str]
    ids: dict[str, str]

    def filled(self, text: str) -> str:
        for name, value in {**self.ids, **self.keys}.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def send(self, sent: Sent) -> httpx.Response:
        headers = [(name, self.filled(value)) for name, value in sent.headers]
        if key := self.keys[sent.key]:
            headers.append(("X-API-Key", key))
        body = self.filled(sent.body.decode("latin-1")).encode("latin-1") if b"{" in sent.body[:200] else sent.body
        request = self.client.build_request(
            sent.method,
            self.filled(sent.path),
            params=[(name, self.filled(value)) for name, value in sent.params],
            content=body,
        )
        for name in {name for name, _ in headers} & {"Host"}:
            del request.headers[name]
        request.headers = httpx.Headers([*request.headers.multi_items(), *((n, v.encode("latin-1", "replace")) for n, v in headers)])  # type: ignore[list-item]  # fmt: skip
        return self.client.send(request)

    def at_once(self, sent: Sent, callers: int) -> list[httpx.Response]:
        with ThreadPoolExecutor(callers) as pool:
            return list(pool.map(lambda _: self.send(sent), range(callers)))

    def inside(self, path: str, params: dict[str, str]) -> HttpResponse:
        """The same request inside this process, whose clock a test can move."""
        return get(path, self.keys["direct"], **params)

    def fact(self, content: str, **more: str) -> Sent:
        return Sent("POST", "facts", json.dumps({"content": content, **more}).encode())

    @staticmethod
    def body_of(answer: httpx.Response) -> str:
        """The problem without what differs from request to request."""
        return json.dumps({name: value for name, value in answer.json().items() if name != "instance"}, sort_keys=True)

    @staticmethod
    def problem(answer: httpx.Response) -> tuple[int, str, list[str]]:
        """Status, code and the places of its faults."""
        document = answer.json()
        places = [each.get("pointer", f"?{each.get('parameter')}") for each in document.get("errors", [])]
        return answer.status_code, document["type"].rpartition(":")[2], places

    def fault_of(self, row: Row) -> str:
        """What is wrong with the answer to a row; "" where nothing is."""
        answer = self.send(row.sent)
        said = answer.headers.get("Content-Type", "")
        if "json" not in said:
            return f"{answer.status_code} {said} {answer.text[:200]}"
        if answer.headers["Content-Type"] != "application/problem+json":
            return f"{answer.status_code} {answer.text[:200]}"
        expected = (row.status, row.code, [] if row.place is None else [row.place])
        document, found = answer.json(), self.problem(answer)
        # A fact is refused as a whole; which field is at fault, and how, stands in its errors.
        if found[1] == "invalid_fact":
            found = (found[0], document["errors"][0]["code"], found[2])
        if found != expected:
            return f"{found} instead of {expected}"
        if set(document) - {"errors"} != {"type", "title", "status", "detail", "instance"}:
            return f"fields {sorted(document)}"
        if (document["status"], document["instance"]) != (answer.status_code, answer.headers["X-Request-ID"]):
            return "status or instance"
        if answer.headers["Cache-Control"] != "no-store" or "set-cookie" in answer.headers:
            return "headers"
        told = answer.text + "".join(f"{name}{value}" for name, value in answer.headers.items())
        if MARK in told and not (row.place or "").startswith("?"):
            return f"repeats what was sent: {answer.text}"
        return ""


def staged(client: httpx.Client, server: Live) -> Stage:
    project, elsewhere = make_project("acme"), make_project("other")
    support, their_agent = make_agent(project, "support"), make_agent(elsewhere, "support")
    make_subject(project, "lovelace")
    every = [*SCOPES]
    keys = {
        "direct": make_key(project, every, write_mode="direct")[1],
        "narrow": make_key(project, [scope for scope in every if scope != "facts:read:all"])[1],
        "proposer": make_key(project, every)[1],
        "scopeless": make_key(project, [])[1],
        "lower": make_key(project, every, write_mode="direct", sensitivity_ceiling="internal")[1],
        "stranger": make_key(elsewhere, every, write_mode="direct")[1],
        "nobody": "",
        "malformed": "mp_nothing",
        "unknown": a_key().text,
        "revoked": make_key(project, every, revoked=True)[1],
        "expired": make_key(project, every, expired=True)[1],
    }
    own = make_fact(project, "Refunds take five days.", agent=support)
    other = make_fact(project, "Refunds take six days.", agent=support)
    erased = make_fact(project, "Refunds took nine days.", agent=support)
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=erased.id)
    for n in range(3):
        fact = make_fact(project, f"Parcel {n} is late.", agent=support)
        forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    foreign = make_fact(elsewhere, "Refunds take no time.", agent=their_agent)
    stage = Stage(client, server, project, keys, {})
    made = [stage.send(stage.fact(f"Refunds are slow {n}.", scope="agent", scope_id="support")).json() for n in (1, 2)]
    stage.ids = {
        "own": str(own.id),
        "other": str(other.id),
        "erased": str(erased.id),
        "foreign": str(foreign.id),
        "old": str(made[0]["id"]),
        "run": str(dreams.start(project, "agent", "support").id),
        "foreign_run": str(dreams.start(elsewhere, "agent", "support").id),
    }
    dreams.start(project, "project")
    by = json.dumps({"by": made[1]["id"]}).encode()
    assert stage.send(Sent("POST", "facts/{old}/supersede", by)).status_code == 200
    for place in ("lovelace", "hopper"):
        for name in ("a", "b"):
            memory = {"agent": "support", "scope": f"user:{place}", "key": name, "value": name}
            assert stage.send(Sent("PUT", "memories", json.dumps(memory).encode())).status_code == 201
    return stage
