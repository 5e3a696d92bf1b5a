"""Spans come at least once, in any order, and are stored once."""

import pytest

from apps.access.actor import Actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import TooLarge
from apps.core.transactions import bind
from apps.tenancy.models import Project, Subject
from apps.traces.actions.ingest_spans import Ingested, ingest_spans
from apps.traces.models import Message, Session, Span, Trace
from apps.traces.queries import conversation
from tests.factories import make_agent, make_project
from tests.spans import run_of, span, trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def push(project: Project, spans: list) -> Ingested:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    return ingest_spans(actor=actor, project_id=project.id, spans=spans)


def test_a_run_becomes_a_trace_with_its_messages(project: Project) -> None:
    agent = make_agent(project, "support")
    outcome = push(
        project,
        run_of("t", "Where is my parcel?", "On its way.", user=" ada ", **{"fastaiagent.meta.session_id": "s1"}),
    )
    assert outcome == Ingested(2, {}, 0, 0)
    with bind(project.id):
        trace = Trace.objects.select_related("subject", "session").get()
        assert (trace.trace_id, trace.agent_id, trace.agent_name) == (trace_id("t"), agent.id, "support")
        assert (trace.root_name, trace.span_count, trace.origin) == ("agent.support", 2, "")
        assert trace.subject is not None and trace.subject.external_id == "ada"
        assert trace.session is not None and trace.session.external_id == "s1"
        assert trace.root_ended_at == trace.ended_at
        assert [(m.role, m.content) for m in conversation(trace)] == [
            ("user", "Where is my parcel?"),
            ("assistant", "On its way."),
        ]
        event = AuditEvent.objects.get(verb="traces.ingest")
        assert event.data == {"ingested": 2, "dropped": 0}


def test_sending_again_stores_nothing_and_does_not_reopen(project: Project) -> None:
    push(project, run_of("t", "Hello there."))
    with bind(project.id):
        Trace.objects.update(extracted_at="2026-11-20T12:00:00Z")
    assert push(project, run_of("t", "Hello there.")) == Ingested(0, {}, 0, 0)
    with bind(project.id):
        assert (Span.objects.count(), Message.objects.count()) == (2, 2)
        assert Trace.objects.get().extracted_at is not None
        assert AuditEvent.objects.filter(verb="traces.ingest").count() == 1


def test_the_first_copy_wins_and_a_differing_one_is_counted(project: Project) -> None:
    push(project, run_of("t", "First words."))
    assert push(project, run_of("t", "Other words.")) == Ingested(0, {}, 0, 1)
    with bind(project.id):
        assert Trace.objects.get().differing_copies == 1
        assert Message.objects.get(role="user").content == "First words."


def test_the_root_may_come_before_its_children_and_the_user_last(project: Project) -> None:
    child, root = run_of("t", "I moved.", user="ada")
    push(project, [child])
    with bind(project.id):
        assert Span.objects.get().subject_id is None
        assert Trace.objects.get().root_ended_at is None
    push(project, [root])
    with bind(project.id):
        subject = Subject.objects.get()
        assert set(Span.objects.values_list("subject_id", flat=True)) == {subject.id}
        assert set(Message.objects.values_list("subject_id", flat=True)) == {subject.id}
        trace = Trace.objects.get()
        assert trace.span_count == 2 and trace.root_ended_at is not None
    push(project, [span("t", "tool.x", parent="agent.support")])
    with bind(project.id):
        assert Trace.objects.get().span_count == 3


def test_bad_spans_are_dropped_by_reason_and_the_rest_is_kept(project: Project) -> None:
    good = span("t", "agent.support")
    bad = [
        "text",
        span("t", "a", trace_id="xyz"),
        span("t", "b", span_id="0" * 16),
        span("t", "c", parent_span_id="short"),
        span("t", "d", end_time="2026-11-20T11:00:00+00:00"),
        span("t", "e", start_time="2026-11-20T12:00:00"),
        span("t", "f", start_time="yesterday"),
        span("t", "g", attributes=[1]),
    ]
    assert push(project, [*bad, good]) == Ingested(
        1,
        {
            "not_an_object": 1,
            "bad_trace_id": 1,
            "bad_span_id": 1,
            "bad_parent": 1,
            "bad_time": 3,
            "bad_attributes": 1,
        },
        0,
        0,
    )
    with bind(project.id):
        assert Span.objects.count() == 1


def test_what_postgres_cannot_hold_is_replaced_and_counted(project: Project) -> None:
    ugly = run_of("t", "nul \x00 and \ud800 end", user="ada\x00")
    ugly[1]["attributes"]["number"] = float("nan")
    outcome = push(project, ugly)
    assert (outcome.ingested, outcome.dropped) == (2, {})
    assert outcome.replaced_characters == 4
    with bind(project.id):
        assert Message.objects.get(role="user").content == "nul \ufffd and \ufffd end"
        assert Span.objects.get(name="agent.support").attributes["number"] == "NaN"
        assert Subject.objects.get().external_id == "ada\ufffd"
        assert Trace.objects.get().replaced_characters == 4


@pytest.mark.parametrize("user", ["", " ", "*", "\u200b", "x" * 300])
def test_an_id_that_names_nobody_gives_no_subject(project: Project, user: str) -> None:
    push(project, run_of("t", "Hello there.", user=user))
    with bind(project.id):
        assert Subject.objects.count() == 0
        assert Span.objects.count() == 2


def test_five_hundred_spans_are_a_batch_and_one_more_is_too_many(project: Project) -> None:
    spans = [span("t", f"tool.{n}") for n in range(501)]
    with pytest.raises(TooLarge) as refused:
        push(project, spans)
    assert refused.value.code == "too_many_spans"
    with bind(project.id):
        assert Trace.objects.count() == 0
    assert push(project, spans[:500]).ingested == 500


def test_a_key_without_the_scope_stores_nothing(project: Project) -> None:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"facts:read"}))
    with pytest.raises(Refused):
        ingest_spans(actor=actor, project_id=project.id, spans=run_of("t", "Hello there."))
    with bind(project.id):
        assert Trace.objects.count() == 0


def test_two_projects_with_the_same_names_share_nothing(project: Project) -> None:
    other = make_project("globex")
    for one in (project, other):
        make_agent(one, "support")
        push(one, run_of("t", f"Words of {one.slug}.", user="ada"))
    for one in (project, other):
        with bind(one.id):
            assert [m.content for m in Message.objects.filter(role="user")] == [f"Words of {one.slug}."]
            assert (Trace.objects.count(), Subject.objects.count(), Session.objects.count()) == (1, 1, 0)
    assert Trace.objects.count() == 0  # unbound sees nothing
