"""From spans to proposals, on a real database."""

from datetime import timedelta

import pytest

from apps.access.actor import Actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal, ProposalEvidence
from apps.extraction.actions.claim_traces import Claim, claim_traces
from apps.extraction.actions.extract_again import extract_again
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.models import ExtractionRun
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import ingest_spans
from apps.traces.models import Message, Trace
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.spans import run_of, span, trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


def push(project: Project, spans: list) -> None:
    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    ingest_spans(actor=actor, project_id=project.id, spans=spans)


def settle(project: Project, seconds: float = 11) -> None:
    with bind(project.id):
        for trace in Trace.objects.filter(project_id=project.id):
            Trace.objects.filter(id=trace.id).update(last_arrival_at=trace.last_arrival_at - timedelta(seconds=seconds))


def mine(project: Project) -> list[Claim]:
    settle(project)
    claims = claim_traces()
    for claim in claims:
        assert extract_trace(claim=claim) is not None
    return claims


def proposals(project: Project) -> list[tuple[str, str, str, str]]:
    with bind(project.id):
        return list(
            Proposal.objects.in_project(project.id).order_by("id").values_list("content", "scope", "scope_id", "state")
        )


def test_work_goes_to_the_agent_and_a_person_to_himself(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days. I prefer email.", user="ada"))
    assert len(mine(project)) == 1
    assert proposals(project) == [
        ("Our refund window is 30 days.", "agent", "support", "pending"),
        ("Prefers email.", "user", "ada", "pending"),
    ]
    with bind(project.id):
        quotes = list(ProposalEvidence.objects.order_by("id").values_list("quote", "start", "end", "trace_id"))
        run = ExtractionRun.objects.get()
        assert Trace.objects.get().extracted_at is not None
    assert quotes == [
        ("Our refund window is 30 days", 0, 28, trace_id("t")),
        ("I prefer email", 30, 44, trace_id("t")),
    ] or [quote[0].rstrip(".") for quote in quotes] == ["Our refund window is 30 days", "I prefer email"]
    assert (run.proposed, run.outcome, run.extractor) == (2, "done", "rules")


def test_without_a_user_id_what_somebody_says_of_himself_is_held(project: Project) -> None:
    push(project, run_of("t", "I prefer email."))
    mine(project)
    assert proposals(project) == [("Prefers email.", "user", "", "quarantined")]
    with bind(project.id):
        assert Proposal.objects.get().flags == ["no_subject", "personal"]


def test_an_unknown_agent_holds_what_was_said_about_the_work(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days.", agent="nobody-registered"))
    mine(project)
    assert proposals(project) == [("Our refund window is 30 days.", "agent", "", "quarantined")]


def test_a_trace_is_claimed_when_its_root_ended_and_it_is_quiet(project: Project) -> None:
    spans = run_of("t", "Our refund window is 30 days.")
    push(project, spans[:1])
    settle(project, 11)
    assert claim_traces() == []  # no root yet
    settle(project, 50)
    assert len(claim_traces()) == 1  # a quiet minute without one
    push(project, run_of("u", "Our shop opens at nine."))
    assert [claim.trace_pk for claim in claim_traces()] == []  # just arrived


def test_later_spans_reopen_a_trace_and_only_they_are_mined(project: Project) -> None:
    child = span("t", "agent.helper", parent="swarm.desk", attributes={"agent.name": "support"})
    push(project, [child])
    settle(project, 61)
    [claim] = claim_traces()
    extract_trace(claim=claim)
    assert proposals(project) == []
    root = span("t", "swarm.desk", attributes={"swarm.input": "Our refund window is 30 days.", "swarm.output": "Yes."})
    push(project, [root])
    mine(project)
    assert [row[0] for row in proposals(project)] == ["Our refund window is 30 days."]
    push(project, [span("t", "tool.late", parent="swarm.desk")])
    mine(project)
    assert len(proposals(project)) == 1
    with bind(project.id):
        assert [run.messages for run in ExtractionRun.objects.order_by("id")] == [0, 2, 0]


def test_under_a_swarm_the_agents_inputs_are_not_the_users_words(project: Project) -> None:
    push(
        project,
        [
            span(
                "t",
                "agent.support",
                parent="swarm.desk",
                attributes={"agent.name": "support", "agent.input": "Our secret margin is 40 percent."},
            ),
            span("t", "swarm.desk", attributes={"swarm.input": "Our refund window is 30 days."}),
        ],
    )
    mine(project)
    assert [row[0] for row in proposals(project)] == ["Our refund window is 30 days."]


@pytest.mark.parametrize("source", ["replay", "playground", "learn", "eval"])
def test_runs_outside_production_are_not_mined(project: Project, source: str) -> None:
    push(project, run_of("t", "Our refund window is 30 days.", **{"fastaiagent.source": source}))
    mine(project)
    assert proposals(project) == []


def test_memory_and_learning_spans_are_not_mined(project: Project) -> None:
    push(
        project,
        [
            span("t", "memory.write", attributes={"agent.input": "Our refund window is 30 days."}),
            span("t", "learn.extract", attributes={"agent.input": "Our shop opens at nine."}),
        ],
    )
    settle(project, 61)
    mine(project)
    assert proposals(project) == []


def test_two_claims_never_share_a_trace_and_a_lost_lease_writes_nothing(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days."))
    settle(project)
    [first] = claim_traces()
    assert claim_traces() == []
    with bind(project.id):
        Trace.objects.update(lease_until=now() - timedelta(seconds=1))
    [second] = claim_traces()
    assert second.lease_token != first.lease_token
    assert extract_trace(claim=first) is None
    assert proposals(project) == []
    assert extract_trace(claim=second) is not None
    assert extract_trace(claim=second) is None
    assert len(proposals(project)) == 1


def test_spans_that_arrive_during_extraction_send_the_trace_round_again(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days."))
    settle(project)
    [claim] = claim_traces()
    push(project, [span("t", "tool.late", parent="agent.support")])
    assert extract_trace(claim=claim) is not None
    with bind(project.id):
        assert Trace.objects.get().extracted_at is None
    assert len(proposals(project)) == 1


class Broken:
    name, version = "broken", "1"

    def extract(self, conversation: object) -> object:
        raise ValueError("no")


def test_an_extractor_that_fails_is_tried_five_times_then_dead(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days."))
    settle(project)
    for attempt in range(1, 6):
        [claim] = claim_traces()
        run = extract_trace(claim=claim, extractor=Broken())  # type: ignore[arg-type]
        assert run is not None and (run.outcome, run.error_code) == ("failed", "ValueError")
        assert claim_traces() == []  # it waits
        with bind(project.id):
            trace = Trace.objects.get()
            assert (trace.attempts, trace.dead_reason) == (attempt, "ValueError" if attempt == 5 else "")
            Trace.objects.update(not_before=None)
    assert claim_traces() == []
    extract_again(actor=user_actor(project, "curator"), project_id=project.id, trace_id=trace_id("t"))
    [claim] = claim_traces()
    assert extract_trace(claim=claim) is not None
    assert len(proposals(project)) == 1


def test_extracting_again_proposes_nothing_twice(project: Project) -> None:
    push(project, run_of("t", "Our refund window is 30 days."))
    mine(project)
    extract_again(actor=user_actor(project, "curator"), project_id=project.id, trace_id=trace_id("t"))
    mine(project)
    assert len(proposals(project)) == 1
    with bind(project.id):
        assert ExtractionRun.objects.order_by("-id")[0].dropped == {"waiting": 1}
        assert Message.objects.exclude(mined_at=None).count() == 2


def test_what_is_a_fact_already_is_not_proposed(project: Project) -> None:
    make_fact(project, "our refund window is  30 days.", agent=make_agent(project, "support"))
    push(project, run_of("t", "Our refund window is 30 days."))
    mine(project)
    assert proposals(project) == []
