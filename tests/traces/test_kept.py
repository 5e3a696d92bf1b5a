"""What is kept of a trace for its list, and of a subject for his."""

from datetime import timedelta

import pytest

from apps.core.transactions import bind
from apps.tenancy.models import Subject
from apps.traces.models import Trace
from tests import spans as sdk
from tests.console.stage import learn, push
from tests.factories import make_project
from tests.spans import NOON, run_of, span, trace_id

pytestmark = pytest.mark.django_db


def test_messages_first_words_and_proposals_are_counted() -> None:
    project = make_project("acme")
    learn(project, "t", "Our refund window is 30 days. Our desk closes at 6.", user="ada")
    push(project, run_of("t", "Our refund window is 30 days. Our desk closes at 6.", user="ada"))
    push(project, [span("t", "agent.late", start=-5, attributes={"agent.input": "ü" * 300})])
    with bind(project.id):
        trace = Trace.objects.get(trace_id=trace_id("t"))
    assert (trace.message_count, trace.proposal_count, trace.first_words) == (3, 2, "ü" * 200)


def test_a_subject_is_seen_when_his_trace_began(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project("acme")

    def seen() -> list[object]:
        with bind(project.id):
            return list(Subject.objects.values_list("last_seen_at", flat=True))

    push(project, run_of("a", "Hello.", user="ada"))
    assert seen() == [NOON]
    for minutes, expected in ((-60, NOON), (4, NOON), (6, NOON + timedelta(minutes=6))):
        monkeypatch.setattr(sdk, "NOON", NOON + timedelta(minutes=minutes))
        push(project, run_of(f"at {minutes}", "Hello.", user="ada"))
        assert seen() == [expected]
