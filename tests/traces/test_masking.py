"""A secret never reaches the database: masked before the first insert, sealed where that would take too long."""

import json

import pytest
from django.db import connection

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.tenancy.models import Project, Subject
from apps.traces import spans as span_module
from apps.traces.actions.ingest_spans import Ingested, ingest_spans
from apps.traces.actions.screen_sealed import screen_sealed
from apps.traces.models import Message, Span, Trace
from tests.factories import make_agent, make_project
from tests.spans import run_of, span

pytestmark = pytest.mark.django_db

KEY = "AKIA" + "IOSFODNN7EXAMPLQ"
PASSWORD = "hunter2-and-more"
SECRETS = [KEY, PASSWORD]


@pytest.fixture
def project() -> Project:
    return make_project()


def push(project: Project, spans: list) -> Ingested:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    return ingest_spans(actor=actor, project_id=project.id, spans=spans)


def leaky(user: str = "ada") -> list[dict]:
    said = f"My key is {KEY}, and our refund window is 30 days."
    messages = json.dumps([{"role": "user", "content": f"postgres://bob:{PASSWORD}@db/x"}])
    child, root = run_of("t", said, f"Noted {KEY}.", user=user)
    child["attributes"] = {"gen_ai.request.messages": messages}
    child["events"] = [{"name": "exception", "attributes": {"exception.message": f"bad key {KEY}"}}]
    return [child, root]


def everything_stored(project: Project) -> str:
    """Every column of every table as text."""
    found = []
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT coalesce(string_agg(t::text, chr(10)), '') FROM \"{table}\" t")
            found.append(cursor.fetchone()[0])
    return "\n".join(found)


def test_secrets_are_masked_wherever_they_stand(project: Project) -> None:
    make_agent(project, "support")
    outcome = push(project, leaky())
    assert (outcome.ingested, outcome.dropped) == (2, {})
    assert outcome.masked_secrets == 4
    stored = everything_stored(project)
    assert not any(secret in stored for secret in SECRETS)
    with bind(project.id):
        assert Trace.objects.get().masked_secrets == 4
        said = Message.objects.get(role="user").content
        assert said.startswith("My key is [masked: ") and said.endswith("our refund window is 30 days.")
        child = Span.objects.get(name="llm.test.model")
        assert json.loads(child.attributes["gen_ai.request.messages"])[0]["role"] == "user"


def test_the_same_batch_again_is_the_same(project: Project) -> None:
    push(project, leaky())
    assert push(project, leaky()) == Ingested(0, {}, 0, 0, 4)


def test_what_takes_too_long_is_sealed_until_a_worker_has_screened_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_agent(project, "support")
    monkeypatch.setattr(span_module, "SPAN_BUDGET", 0.0)
    outcome = push(project, leaky())
    assert outcome.ingested == 2
    stored = everything_stored(project)
    # In quotes: three letters may stand in what is encrypted by chance.
    assert not any(word in stored for word in [*SECRETS, "refund", '"ada"', "'ada'"])
    with bind(project.id):
        assert Span.objects.filter(sealed__isnull=False).count() == 2
        assert (Message.objects.count(), Subject.objects.count()) == (0, 0)
        Trace.objects.update(extracted_at="2026-11-20T12:00:00Z")
    assert push(project, leaky()).ingested == 0  # the same again, sealed anew, is still the same
    assert screen_sealed() == 2
    assert screen_sealed() == 0
    stored = everything_stored(project)
    assert not any(secret in stored for secret in SECRETS)
    with bind(project.id):
        trace = Trace.objects.get()
        assert (trace.span_count, trace.masked_secrets, trace.agent_name) == (2, 4, "support")
        assert trace.extracted_at is None and trace.differing_copies == 0
        assert Subject.objects.get().external_id == "ada"
        assert Message.objects.filter(subject__external_id="ada").count() == 2


def test_only_the_slow_span_of_a_batch_is_sealed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    big = span("t", "tool.read", parent="agent.support", attributes={"tool.result": "x" * 4_100_000})
    push(project, [*run_of("t", "Hello there."), big])
    with bind(project.id):
        assert {s.name: s.sealed is not None for s in Span.objects.all()} == {
            "llm.test.model": False,
            "agent.support": False,
            "": True,
        }
        assert Message.objects.count() == 2
