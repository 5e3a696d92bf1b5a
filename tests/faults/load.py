"""Agents that send traces, write and read facts, and people who look at pages, at a steady rate; and what came of it.

An answer of 2xx was promised to the client: it must be there afterwards, once. What was refused with 503, or never
answered, may be there or not: a server that loses its database while it commits can't know either.
"""

import itertools
import logging
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

import httpx
from django.db.models import Count

from apps.audit.models import AuditEvent
from apps.audit.queries import verify_chain
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.tenancy.models import Project
from apps.traces.models import Span, Trace
from tests.browserless import Person
from tests.factories import PASSWORD, make_agent, make_key, make_project, make_user
from tests.live import Live
from tests.spans import run_of, trace_id

logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells of each of thousands
MIX = {"trace": 5, "fact": 2, "read": 5, "page": 1}
PAGES = ("facts", "review", "traces", "health")
SCOPES = ["traces:write", "facts:read", "facts:read:user", "facts:write", "dreams:write"]


@dataclass(frozen=True)
class Asked:
    """One request. ``status`` is None where no answer came; ``began`` and ``seconds`` are of time.monotonic()."""

    kind: str
    name: str
    status: int | None
    began: float
    seconds: float
    retry_after: str = ""
    body: str = ""

    @property
    def ok(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def away(self) -> bool:
        return self.status == 503


@dataclass
class Desk:
    """Whom the load is about: a project, its agent, a key and a person at the console."""

    project: Project
    key: str
    email: str

    @classmethod
    def make(cls, slug: str = "acme") -> Self:
        project = make_project(slug)
        make_agent(project, "support")
        return cls(project, make_key(project, SCOPES, write_mode="direct")[1], make_user(project, "curator").email)


@dataclass
class Load:
    """``with Load(desk, server, rate=20) as load: …``; at the end all requests are answered and in ``asked``."""

    desk: Desk
    server: Live
    rate: float = 20.0
    threads: int = 8
    mix: dict[str, int] = field(default_factory=lambda: dict(MIX))
    prefix: str = "person"
    asked: list[Asked] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)

    def __enter__(self) -> Self:
        self.numbers, self.stopped = itertools.count(), threading.Event()
        self.begun = time.monotonic()
        self.person = Person(self.server.url, self.desk.email, PASSWORD) if self.mix.get("page") else None
        self.running = [threading.Thread(target=self.run) for _ in range(self.threads)]
        for thread in self.running:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopped.set()
        for thread in self.running:
            thread.join()
        if self.faults:
            raise self.faults[0]

    def run(self) -> None:
        try:
            with httpx.Client(timeout=40, headers={"X-API-Key": self.desk.key}) as client:
                while not self.stopped.is_set():
                    number = next(self.numbers)
                    due = self.begun + number / self.rate
                    if self.stopped.wait(max(0.0, due - time.monotonic())):
                        return
                    kind = random.Random(number).choices([*self.mix], [*self.mix.values()])[0]
                    self.asked.append(self.ask(client, kind, number))
        except BaseException as fault:
            self.faults.append(fault)

    def ask(self, client: httpx.Client, kind: str, number: int) -> Asked:
        name, begun = f"{self.prefix}-{number}", time.monotonic()
        try:
            answer = getattr(self, f"ask_{kind}")(client, name, number)
        except httpx.HTTPError:
            return Asked(kind, name, None, begun, time.monotonic() - begun)
        body = "" if answer.is_success else answer.text[:500]
        after = answer.headers.get("Retry-After", "")
        return Asked(kind, name, answer.status_code, begun, time.monotonic() - begun, after, body)

    def ask_trace(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        body: dict[str, Any] = {"project": "acme", "spans": run_of(name, "I live in Porto.", user=name)}
        return client.post(f"{self.server.url}/public/v1/traces/ingest", json=body)

    def ask_fact(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        body = {"scope": "agent", "agent": "support", "scope_id": "support", "content": f"Parcel {name} goes by rail."}
        return client.post(f"{self.server.url}/v1/facts", json=body)

    def ask_read(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        return client.get(f"{self.server.url}/public/v1/memory/facts", params={"agent_id": "support", "limit": 20})

    def ask_page(self, client: httpx.Client, name: str, number: int) -> httpx.Response:
        assert self.person is not None
        return self.person.http.get(f"/p/{self.desk.project.slug}/{PAGES[number % len(PAGES)]}")

    def of(self, kind: str) -> list[Asked]:
        return [one for one in self.asked if one.kind == kind]

    def statuses(self) -> dict[str, int]:
        """How many requests got which answer; "none" where none came."""
        counted = Counter(str(one.status or "none") for one in self.asked)
        return dict(sorted(counted.items()))

    def unforeseen(self) -> list[Asked]:
        """What is neither an answer nor a plain "not now"."""
        return [
            one
            for one in self.asked
            if one.status is not None and not one.ok and not (one.away and one.retry_after.isdigit())
        ]


def p95(asked: list[Asked]) -> float:
    """Seconds."""
    ordered = sorted(one.seconds for one in asked)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def verify(project: Project, asked: list[Asked]) -> list[str]:
    """What should not be: anything promised that is not there, anything there twice or that nobody asked for, a chain
    that is broken. By ids, a sentence each."""
    facts = {f"Parcel {one.name} goes by rail.": one for one in asked if one.kind == "fact"}
    told = told_now(project)
    found = [f"fact of {one.name} lost" for text, one in facts.items() if one.ok and text not in told]
    found += [f"fact told {count} times: {text}" for text, count in told.items() if count > 1]
    found += [f"nobody said: {text}" for text in told if text not in facts]
    return verify_traces(project, asked) + found


def told_now(project: Project) -> Counter[str]:
    """The words of the load's current facts, and how many say them."""
    with bind(project.id):
        current = Fact.objects.filter(content__startswith="Parcel ", superseded_at=None, retired_at=None)
        return Counter(current.values_list("content", flat=True))


def verify_traces(project: Project, asked: list[Asked]) -> list[str]:
    """The same of traces and what was learned from them, and of the chain."""
    found: list[str] = []
    traces = {trace_id(one.name): one for one in asked if one.kind == "trace"}
    with bind(project.id):
        spans = dict(Span.objects.values_list("trace_id").annotate(Count("id")))
        stored = set(Trace.objects.values_list("trace_id", flat=True))
        proposed = Counter(Proposal.objects.filter(origin="extraction").values_list("scope_id", "content"))
        batches = AuditEvent.objects.filter(verb="traces.ingest").count()
        chain = verify_chain(project.id)
    found += [f"trace of {one.name} lost" for each, one in traces.items() if one.ok and spans.get(each) != 2]
    found += [f"half a trace: {each}" for each in stored if spans.get(each) != 2]
    found += [f"nobody sent: {each}" for each in stored if each not in traces]
    found += [f"proposed {count} times: {each}" for each, count in proposed.items() if count > 1]
    if batches != len(stored):
        found.append(f"{batches} batches recorded of {len(stored)}")
    if chain.broken_at is not None:
        found.append(f"the chain is broken at {chain.broken_at}")
    return found


def let_go(project: Project) -> None:
    """As if the leases of what is not mined had run out, which takes two minutes."""
    with bind(project.id):
        Trace.objects.filter(extracted_at=None).update(lease_until=now() - timedelta(seconds=1))


def unmined(project: Project) -> int:
    with bind(project.id):
        return Trace.objects.filter(extracted_at=None).count()


def mined(project: Project) -> bool:
    """Whether no trace waits any more."""
    return unmined(project) == 0
