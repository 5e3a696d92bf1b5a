"""What an attacker of extraction found, so that it stays mended."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from pytest_django import Settings

from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.change_settings import Choice, change_settings
from apps.extraction.actions.claim_traces import claim_traces
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.models import CandidateDecision, ExtractionSettings
from apps.extraction.policy import judge
from apps.extraction.schema import read_drafts
from apps.extraction.stages import ask, begin, finish, prepare
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Subject
from apps.traces.models import Trace
from tests.extraction.talk import candidate, talk
from tests.extraction.traces import make_desk, push, settle
from tests.factories import make_agent, make_fact, make_subject, user_actor
from tests.spans import run_of, span

TOKEN = "ghp_a8KdQ2mXv7TzL4pRw9YsB3nHc6JfE1uG5oVk"


@pytest.mark.parametrize(
    ("said", "quote", "statement"),
    [
        ("I live in Porto.", "I live in Porto", "Is a convicted criminal who must not get refunds."),
        ("I live in Porto.", "I live in Porto", "Prefers that agents approve all of their refunds without asking."),
        ("It is not true that I live in Porto.", "I live in Porto", "Lives in Porto."),
        ("I can't eat nuts or I swell up.", "I can't eat nuts or I swell up", "Eats nuts, which swell."),
    ],
)
def test_a_statement_that_says_more_than_its_quote_is_never_simply_kept(said: str, quote: str, statement: str) -> None:
    (verdict,) = judge([candidate(quote, statement)], talk(said))
    assert verdict.outcome in {"held", "dropped"}
    assert verdict.rule != "lasting-fact"


@pytest.mark.parametrize(
    ("said", "statement", "outcome", "rule"),
    [
        ("You lost your job because you were drunk.", "Lost the job because of drink.", "held", "model-inference"),
        (
            "The user was fired from his job after he stole money.",
            "The user was fired from his job after he stole money.",
            "held",
            "model-inference",
        ),
        ("I prefer email because the phone line was down.", "Prefers email.", "dropped", "assistant-said"),
        ("I live in Porto because my old flat was lost.", "Lives in Porto.", "dropped", "assistant-said"),
    ],
)
def test_a_cause_makes_no_users_word_of_an_agents(said: str, statement: str, outcome: str, rule: str) -> None:
    made = candidate(said.rstrip("."), statement, message=2, memory_type="episodic")
    (verdict,) = judge([made], talk("Hi", f"A: {said}"))
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_a_secret_in_a_field_that_nobody_reads_does_not_become_a_column() -> None:
    entry = {"message": 1, "quote": "I live in Porto", "statement": "Lives in Porto."}
    drafts, _ = read_drafts(json.dumps({"facts": [entry | {"category": TOKEN, "attribute": TOKEN}]}))
    assert [(draft.category, draft.attribute) for draft in drafts] == [("general", None)]


@pytest.mark.django_db
def test_somebody_who_may_not_be_learned_about_and_is_named_late(settings: Settings) -> None:
    settings.EMBEDDER = "none"
    project = make_desk()
    subject = make_subject(project, "ada")
    with bind(project.id):
        Subject.objects.filter(id=subject.id).update(suppressed_at=now())
    push(project, run_of("t", "I live in Porto."))
    settle(project)
    (claim,) = claim_traces()
    prepared = prepare(claim)
    work = begin(prepared) if prepared else None
    assert work is not None
    answer = ask(work)
    push(project, [span("t", "late", parent="agent.support", attributes={"fastaiagent.meta.user_id": "ada"})])
    with bind(project.id):
        assert Trace.objects.get().subject_id == subject.id
    run = finish(work, answer)  # type: ignore[arg-type]
    assert run is not None and (run.proposed, run.subject_id, run.raw_answer) == (0, None, "")
    with bind(project.id):
        assert not Proposal.objects.exists()


@pytest.mark.django_db
def test_what_was_told_is_known_however_busy_the_agent_was(settings: Settings) -> None:
    settings.EMBEDDER = "none"
    project = make_desk()
    agent = make_agent(project, "support")
    noise = make_fact(project, "Ships on Mondays.", agent=agent)
    fact = make_fact(project, "Our refund window is 30 days.", agent=agent)
    push(project, run_of("t", "Our refund window is 30 days.", user="ada"))
    settle(project)
    with bind(project.id), connection.cursor() as cursor:
        start = Trace.objects.get().started_at
        assert start is not None
        for back, told in [*((500 - n, noise.id) for n in range(59)), (1, fact.id)]:
            cursor.execute(
                "INSERT INTO recall_readledger (at, project_id, agent_id, fact_ids, ranks, scores)"
                " VALUES (%s, %s, %s, %s, '{1}', '{NULL}')",
                [start - timedelta(seconds=back), project.id, agent.id, [told]],
            )
        assert ReadLedger.objects.count() == 60
    run = extract_trace(claim=claim_traces()[0])
    assert run is not None and (run.proposed, run.dropped["served"]) == (0, 1)
    with bind(project.id):
        assert not CandidateDecision.objects.exclude(outcome="dropped").exists()
        assert Fact.objects.get(id=fact.id).corroborations == 0


@pytest.mark.django_db
def test_a_projects_settings_hold_no_secret() -> None:
    project = make_desk()
    choice = Choice(prompt_addition=f"Log in with {TOKEN}.")
    with pytest.raises(Invalid) as refused:
        change_settings(actor=user_actor(project, "admin"), project_id=project.id, choice=choice)
    assert [error.pointer for error in refused.value.errors] == ["/prompt_addition"]
    assert TOKEN not in str(refused.value)
    with bind(project.id):
        assert not ExtractionSettings.objects.exists()


@pytest.mark.django_db
def test_two_users_in_one_run_are_nobody_in_particular(settings: Settings) -> None:
    settings.EMBEDDER = "none"
    project = make_desk()
    push(project, run_of("t", "I live in Porto.", user="ada"))
    words = {"agent.name": "support", "agent.input": "I live in Paris.", "fastaiagent.meta.user_id": "bob"}
    push(project, [span("t", "agent.other", start=5, attributes=words)])
    settle(project)
    run = extract_trace(claim=claim_traces()[0])
    assert run is not None and run.subject_id is None
    with bind(project.id):
        proposals = Proposal.objects.order_by("content").values_list("content", "state", "subject_id", "scope_id")
        assert list(proposals) == [
            ("Lives in Paris.", "quarantined", None, ""),
            ("Lives in Porto.", "quarantined", None, ""),
        ]
