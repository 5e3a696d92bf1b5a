"""Batches that meet: new users in any order, and keys that may speak for some agents only."""

import random
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from apps.access.queries import actor_for_key
from apps.core.transactions import bind
from apps.tenancy.models import Subject
from apps.traces.actions.ingest_spans import Ingested, ingest_spans
from apps.traces.models import Session, Span, Trace
from tests.factories import make_agent, make_key, make_project
from tests.spans import run_of


def test_the_same_new_users_in_any_order_do_not_deadlock(fresh_db: str) -> None:
    project = make_project()
    make_agent(project, "support")
    actor = actor_for_key(make_key(project)[0])
    users = [f"user_{n}" for n in range(20)]

    def push(number: int) -> int:
        shuffled = random.Random(number).sample(users, len(users))
        spans = [
            span
            for user in shuffled
            for span in run_of(
                f"{number}/{user}", "Hello there.", user=user, **{"fastaiagent.meta.session_id": f"s-{user}"}
            )
        ]
        done = ingest_spans(actor=actor, project_id=project.id, spans=spans)
        connection.close()
        return done.ingested

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(push, range(12))) == [40] * 12
    with bind(project.id):
        assert (Subject.objects.count(), Session.objects.count(), Trace.objects.count()) == (20, 20, 240)


def test_a_key_for_some_agents_speaks_for_no_other(fresh_db: str) -> None:
    project = make_project()
    support, _ = make_agent(project, "support"), make_agent(project, "sales")
    limited, _ = make_key(project, agents=[support])
    nobody, _ = make_key(project, agents=[])
    spans = [*run_of("a", "Hello there.", agent="support"), *run_of("b", "Hello there.", agent="sales")]
    actor = actor_for_key(limited)
    assert ingest_spans(actor=actor, project_id=project.id, spans=spans) == Ingested(3, {"agent_not_allowed": 1})
    only = ingest_spans(actor=actor_for_key(nobody), project_id=project.id, spans=run_of("c", "Hi.", agent="sales"))
    assert only.dropped == {"agent_not_allowed": 1}
    with bind(project.id):
        assert not Trace.objects.filter(agent_name="sales").exists()
        assert Span.objects.filter(name="agent.sales").count() == 0
