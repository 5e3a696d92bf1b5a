"""What is known already gets its evidence and its count, once a conversation, and makes nothing new."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal, ProposalEvidence
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact, FactSource
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.curation.stage import approve, learn, outcome, propose_one, put, stage, told, wish
from tests.factories import make_agent, make_fact, user_actor
from tests.spans import trace_id

pytestmark = pytest.mark.django_db

SAID = "Returns take 45 days."


@pytest.fixture
def project() -> Project:
    return stage("one", "two", "three")


def counted(project: Project, fact: Fact) -> tuple[int, list[str]]:
    """The count, and the conversations of the evidence in their order."""
    with bind(project.id):
        fact.refresh_from_db()
        sources = FactSource.objects.filter(fact_id=fact.id).order_by("id")
        return fact.corroborations, list(sources.values_list("trace_id", flat=True))


def test_a_fact_said_again_counts_once_a_conversation(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    assert counted(project, fact) == (0, [trace_id("t")])
    said = now() - timedelta(hours=1)
    again = outcome(project, wish(project, "returns  take 45 DAYS.", trace="one", at=said))
    assert (again.kind, again.rule, again.fact_id, again.proposal) == ("same", "known", fact.id, None)
    assert counted(project, fact) == (1, [trace_id("t"), trace_id("one")])
    assert fact.last_seen_at == said
    outcome(project, wish(project, SAID, trace="two", at=said - timedelta(days=3)))
    assert counted(project, fact)[0] == 2
    assert fact.last_seen_at == said  # never goes back
    with bind(project.id):
        assert Proposal.objects.count() == 1
        events = AuditEvent.objects.filter(verb="facts.corroborate").order_by("seq")
        assert [(event.object_type, event.object_id) for event in events] == [("fact", str(fact.id))] * 2


def test_a_run_that_is_repeated_counts_nothing(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    said = now()
    for _ in range(3):
        outcome(project, wish(project, SAID, at=said))  # its own conversation
        outcome(project, wish(project, SAID, trace="one", at=said))
    assert counted(project, fact) == (1, [trace_id("t"), trace_id("one")])
    with bind(project.id):
        assert AuditEvent.objects.filter(verb="facts.corroborate").count() == 1


def test_a_second_place_of_the_same_conversation_is_evidence_and_no_count(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    longer = wish(project, SAID, trace="one")
    put(project, longer, wish(project, SAID + " ", trace="one"))
    assert counted(project, fact) == (1, [trace_id("t"), trace_id("one"), trace_id("one")])


def test_without_words_to_show_nothing_counts(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    assert outcome(project, wish(project, SAID, trace="one", evidence=())).rule == "known"
    assert counted(project, fact)[0] == 0


def test_what_reads_like_an_order_speaks_for_nothing(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    assert outcome(project, wish(project, SAID, trace="one", flags=("injection",))).kind == "same"
    assert counted(project, fact) == (0, [trace_id("t")])


def test_a_fact_a_person_wrote_counts_its_first_conversation_too(project: Project) -> None:
    fact = make_fact(project, SAID, agent=make_agent(project, "support"))
    outcome(project, wish(project, SAID))
    outcome(project, wish(project, SAID, trace="one"))
    assert counted(project, fact)[0] == 2


def test_an_edited_fact_keeps_what_spoke_for_it(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    outcome(project, wish(project, SAID, trace="one"))
    new = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content=SAID, scope="agent", scope_id="support", importance=0.9),
    )
    assert counted(project, new) == (1, [trace_id("t"), trace_id("one")])


def test_a_waiting_proposal_gathers_evidence_and_its_fact_begins_with_the_count(project: Project) -> None:
    proposal = propose_one(project, wish(project, SAID))
    said = now()
    for name in ("t", "one", "two", "one"):
        again = outcome(project, wish(project, SAID, trace=name, at=said))
        assert (again.kind, again.rule, again.proposal) == ("same", "waiting", proposal)
    with bind(project.id):
        assert Proposal.objects.count() == 1
        assert ProposalEvidence.objects.count() == 3
    done = approve(project, proposal)
    with bind(project.id):
        fact = Fact.objects.get(id=done.fact_id)
    assert counted(project, fact) == (2, [trace_id("t"), trace_id("one"), trace_id("two")])
    assert fact.last_seen_at == said


def test_two_wishes_of_one_batch_are_one(project: Project) -> None:
    done = put(project, wish(project, SAID), wish(project, SAID, trace="one"))
    assert [(one.kind, one.rule) for one in done.outcomes] == [("proposed", ""), ("same", "waiting")]
    assert done.outcomes[1].proposal == done.proposals[0]
    assert done.dropped == {"waiting": 1}


def test_outcomes_come_in_the_order_of_the_wishes(project: Project) -> None:
    make_fact(project, "Shops open at nine.", agent=make_agent(project, "support"))
    done = put(
        project,
        wish(project, "Shops open at nine."),
        wish(project, "Prefers e-mail.", scope="user"),
        wish(project, SAID, policy_rule="explicit"),
        wish(project, "Is on medication.", user="ada", held=True, policy_rule="special"),
    )
    assert [(one.kind, one.rule) for one in done.outcomes] == [
        ("same", "known"),
        ("held", "no_subject"),
        ("proposed", "explicit"),
        ("held", "special"),
    ]
    assert [proposal.state for proposal in done.proposals] == ["quarantined", "pending", "quarantined"]


def test_words_of_a_restricted_fact_are_left_alone(project: Project) -> None:
    fact = make_fact(project, SAID, agent=make_agent(project, "support"), restricted="hold")
    assert (outcome(project, wish(project, SAID)).kind, outcome(project, wish(project, SAID)).rule) == (
        "dropped",
        "restricted",
    )
    assert counted(project, fact) == (0, [])
    with bind(project.id):
        assert Proposal.objects.count() == 0


def test_a_fact_whose_time_is_over_may_be_said_anew(project: Project) -> None:
    agent = make_agent(project, "support")
    old = make_fact(project, SAID, agent=agent, valid_to=now() - timedelta(days=1))
    until = now() + timedelta(days=30)
    proposal = propose_one(project, wish(project, SAID, statement={"valid_to": until}))
    approve(project, proposal)
    assert told(project) == [SAID]
    with bind(project.id):
        old.refresh_from_db()
        assert old.retired_reason == "expired"
        assert Fact.objects.active().get().valid_to == until


def test_forgotten_words_are_dropped_and_count_nowhere(project: Project) -> None:
    fact = learn(project, wish(project, SAID))
    said = now()
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    again = outcome(project, wish(project, SAID, trace="one", at=said))
    assert (again.kind, again.rule) == ("dropped", "forgotten")
    with bind(project.id):
        assert (Proposal.objects.count(), FactSource.objects.count()) == (0, 0)
