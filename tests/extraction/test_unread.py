"""What is too long to be read is left out and said so; a trace that waits its turn keeps its lease and its attempts."""

from datetime import timedelta

import pytest
from django.db import connection
from pytest_django import Settings

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.claim_trace import claim_trace
from apps.extraction.actions.claim_traces import LEASE_SECONDS, claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.candidates import Conversation, Extraction
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.extraction.pool import mine
from apps.extraction.queries import MAX_ATTEMPTS
from apps.extraction.rules import RulesExtractor
from apps.extraction.stages import begin, prepare
from apps.tenancy.models import Project
from apps.traces.models import Message, Trace
from tests.extraction.traces import make_desk, push, settle
from tests.spans import run_of, span, trace_id

FIRST, LAST = "I prefer email. ", "I live in Porto."


def long_message(length: int) -> str:
    """Something to keep at both ends."""
    return FIRST + ("blah. " * length)[: length - len(FIRST) - len(LAST)] + LAST


def desk(*said: str) -> Project:
    project = make_desk()
    spans = run_of("t", said[0], user="ada")
    for number, text in enumerate(said[1:], 5):
        attributes = {"chain.input": text, "chain.output": "Fine."}
        spans.append(span("t", f"chain.{number}", start=number, attributes=attributes))
    push(project, spans)
    settle(project, 3600)
    return project


def unread(project: Project) -> list[tuple[str, int, int, str, str]]:
    with bind(project.id):
        rows = CandidateDecision.objects.filter(rule="too-long").order_by("id").select_related("message")
        return [(row.message.role, row.start, row.end, row.outcome, row.message.content[-5:]) for row in rows]


@pytest.mark.django_db
@pytest.mark.parametrize(("length", "cut"), [(32_000, False), (32_001, True), (200_000, True)])
def test_the_end_of_a_long_message_is_left_out_and_said(length: int, cut: bool) -> None:
    project = desk(long_message(length))
    run = extract_trace(claim=claim_traces()[0])
    assert run is not None
    assert unread(project) == ([("user", 32_000, length, "dropped", "orto.")] if cut else [])
    assert run.dropped.get("too-long", 0) == (1 if cut else 0)
    with bind(project.id):
        # What is stored is whole, and counts as read: no later run comes back to it.
        assert len(Message.objects.get(role="user").content) == length
        assert Message.objects.filter(mined_at=None).count() == 0
        said = set(Proposal.objects.values_list("content", flat=True))
        assert said == ({"Prefers email."} if cut else {"Prefers email.", "Lives in Porto."})


@pytest.mark.django_db
def test_the_operator_says_how_much_of_a_message_and_of_a_run_is_read(settings: Settings) -> None:
    settings.EXTRACT_MESSAGE_CHARACTERS, settings.EXTRACT_TRACE_CHARACTERS = 1_000, 1_500
    project = desk(long_message(1_200), long_message(1_300), long_message(900))
    seen: list[list[int]] = []

    class Measuring(RulesExtractor):
        def extract(self, conversation: Conversation) -> Extraction:
            seen.append([len(turn.text) for turn in conversation.turns if turn.role == "user"])
            return super().extract(conversation)

    assert extract_trace(claim=claim_traces()[0], extractor=Measuring()) is not None
    [lengths] = seen
    answers = sum(len(text) for text in _answers(project)[:1])
    assert lengths == [1_000, 500 - answers, 0]
    assert [row[:4] for row in unread(project) if row[0] == "user"] == [
        ("user", 1_000, 1_200, "dropped"),
        ("user", 500 - answers, 1_300, "dropped"),
        ("user", 0, 900, "dropped"),
    ]


def _answers(project: Project) -> list[str]:
    with bind(project.id):
        return list(Message.objects.filter(role="assistant").order_by("at", "id").values_list("content", flat=True))


# --- leases and attempts ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_claiming_alone_spends_no_attempt() -> None:
    project = desk(FIRST)
    for _ in range(MAX_ATTEMPTS + 2):
        [claim] = claim_traces()
        assert prepare(claim) is not None
        with bind(project.id):
            assert Trace.objects.get().attempts == 0
            # Its worker died before it came to this one.
            Trace.objects.update(lease_until=now() - timedelta(seconds=1))
    claim_by_name = claim_trace(project_id=project.id, trace_id=trace_id("t"))
    assert claim_by_name is not None
    with bind(project.id):
        assert Trace.objects.get().attempts == 0
    run = extract_trace(claim=claim_by_name)
    assert run is not None and run.proposed == 1


@pytest.mark.django_db
def test_a_trace_that_takes_its_workers_down_is_given_up() -> None:
    project = desk(FIRST)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        [claim] = claim_traces()
        work = prepare(claim)
        begun = begin(work) if work else None
        assert begun is not None and begun.attempts == attempt
        with bind(project.id):
            assert Trace.objects.get().attempts == attempt
            Trace.objects.update(lease_until=now() - timedelta(seconds=1))
    assert claim_traces() == []


@pytest.mark.django_db
def test_the_lease_is_whole_when_the_work_begins() -> None:
    project = desk(FIRST)
    [claim] = claim_traces()
    work = prepare(claim)
    assert work is not None
    with bind(project.id):
        Trace.objects.update(lease_until=now() + timedelta(seconds=1))
    before = now()
    assert begin(work) is not None
    with bind(project.id):
        until = Trace.objects.get().lease_until
        assert until is not None and abs(until - before - timedelta(seconds=LEASE_SECONDS)) < timedelta(seconds=5)
        # Somebody else's by now: nothing begins, nothing is counted.
        Trace.objects.update(lease_token="00000000-0000-4000-8000-000000000000")
        left = Trace.objects.values().get()
    assert begin(work) is None
    with bind(project.id):
        assert Trace.objects.values().get() == left


def test_a_pile_of_long_messages_is_mined_once_each(fresh_db: str, settings: Settings) -> None:
    settings.EXTRACT_SLOTS, settings.EXTRACT_CONNECTIONS = 3, 1
    project = make_desk()
    for name in "abcdefgh":
        push(project, run_of(name, long_message(100_000), user="ada"))
    settle(project, 3600)
    mined = mine()
    assert (mined.claimed, mined.done, mined.lost, mined.failed) == (8, 8, 0, 0)
    with bind(project.id):
        assert ExtractionRun.objects.count() == 8 and len(unread_of(project)) == 8
    connection.close()


def unread_of(project: Project) -> list[int]:
    return list(CandidateDecision.objects.filter(project_id=project.id, rule="too-long").values_list("end", flat=True))
