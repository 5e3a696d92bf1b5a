"""A forgotten fact is gone everywhere, counted, and not learned again."""

from datetime import timedelta

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.models import Proposal, ProposalEvidence
from apps.extraction.actions.extract_again import extract_again
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact, FactSource
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.queries import ForgetCounts, forget_counts, forgotten_rows
from apps.tenancy.models import Project, Tombstone
from apps.tenancy.tombstones import bury, fact_digest
from apps.traces.models import Message
from tests.extraction.test_extract_trace import mine, push
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


def learned(project: Project, said: str = "Our refund window is 30 days.") -> Fact:
    push(project, run_of(said, said))
    mine(project)
    with bind(project.id):
        proposal = Proposal.objects.get(state="pending")
    decided = approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal.id)
    with bind(project.id):
        return Fact.objects.get(id=decided.fact_id)


def test_it_goes_with_its_history_evidence_and_proposals(project: Project) -> None:
    curator = user_actor(project, "curator")
    kept = make_fact(project, "Shops open at nine.")
    first = learned(project)
    second = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=first.id,
        statement=Statement(content="Refunds within a month.", scope="agent", scope_id="support"),
    )
    outcome = forget_fact(actor=curator, project_id=project.id, fact_id=second.id)
    assert outcome.before == ForgetCounts(facts=2, superseded=1, evidence=3, proposals=1)
    assert outcome.after == ForgetCounts(0, 0, 0, 0)
    with bind(project.id):
        assert [fact.id for fact in Fact.objects.all()] == [kept.id]
        assert (FactSource.objects.count(), Proposal.objects.count(), ProposalEvidence.objects.count()) == (0, 0, 0)
        assert Tombstone.objects.filter(kind="fact").count() == 2
        assert Message.objects.count() == 2  # the conversation stays
        event = AuditEvent.objects.get(verb="privacy.forget_fact")
        assert event.data == {"before": outcome.before.as_dict(), "after": outcome.after.as_dict()}
        assert "refund" not in str(event.data).lower()


def test_the_same_conversation_does_not_teach_it_again_but_a_later_one_may(project: Project) -> None:
    curator = user_actor(project, "curator")
    fact = learned(project)
    forget_fact(actor=curator, project_id=project.id, fact_id=fact.id)
    extract_again(actor=curator, project_id=project.id, trace_id=trace_id("Our refund window is 30 days."))
    mine(project)
    with bind(project.id):
        assert Proposal.objects.count() == 0
    later = run_of("later", "Our refund window is 30 days.")
    for one in later:
        one["start_time"] = one["start_time"].replace("2026-11-20", "2027-11-20")
        one["end_time"] = one["end_time"].replace("2026-11-20", "2027-11-20")
    push(project, later)
    mine(project)
    with bind(project.id):
        assert Proposal.objects.count() == 1


def test_another_proposal_can_not_be_edited_into_the_forgotten_words(project: Project) -> None:
    curator = user_actor(project, "curator")
    fact = learned(project)
    push(project, run_of("other", "Our delivery fee is 5 euros."))
    mine(project)
    forget_fact(actor=curator, project_id=project.id, fact_id=fact.id)
    with bind(project.id):
        waiting = Proposal.objects.get(state="pending")
    with pytest.raises(Conflict) as refused:
        approve_proposal(
            actor=curator,
            project_id=project.id,
            proposal_id=waiting.id,
            edits=Edits(content="our refund window is 30 days."),
        )
    assert refused.value.code == "forgotten"
    with bind(project.id):
        assert (Fact.objects.count(), Proposal.objects.get().state) == (0, "pending")
    # A person may write it down anew, knowing what she does.
    make_fact(project, "Our refund window is 30 days.")


def test_forgetting_again_never_shortens_what_may_not_be_learned(project: Project) -> None:
    fact, later = make_fact(project, "Shops open at nine."), now() + timedelta(days=1)
    with bind(project.id):
        bury(project.id, "fact", {fact_digest(project.id, fact.scope, fact.scope_id, fact.content)}, until=later)
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    with bind(project.id):
        assert Tombstone.objects.get().blocks_observed_before == later


def test_a_preview_that_no_longer_holds_deletes_nothing(project: Project) -> None:
    curator = user_actor(project, "curator")
    fact = learned(project)
    with bind(project.id):
        seen = forget_counts(project.id, forgotten_rows(project.id, fact.id))
        assert seen == ForgetCounts(facts=1, superseded=0, evidence=2, proposals=1)
    newer = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content="Refunds within a month.", scope="agent", scope_id="support"),
    )
    with pytest.raises(Conflict) as refused:
        forget_fact(actor=curator, project_id=project.id, fact_id=newer.id, expected=seen)
    assert refused.value.code == "preview_outdated"
    with bind(project.id):
        assert (Fact.objects.count(), Tombstone.objects.count(), Proposal.objects.count()) == (2, 0, 1)


def test_forgetting_an_old_version_leaves_the_newer_ones(project: Project) -> None:
    curator = user_actor(project, "curator")
    old = make_fact(project, "Returns take 30 days.")
    new = revise_fact(
        actor=curator, project_id=project.id, fact_id=old.id, statement=Statement(content="45 days.", scope="project")
    )
    outcome = forget_fact(actor=curator, project_id=project.id, fact_id=old.id)
    assert (outcome.before.facts, outcome.after.facts) == (1, 0)
    with bind(project.id):
        assert [fact.id for fact in Fact.objects.active()] == [new.id]


@pytest.mark.parametrize("role", ["viewer", "admin", "auditor"])
def test_others_may_not(project: Project, role: str) -> None:
    fact = make_fact(project, "Returns take 30 days.")
    with pytest.raises(Refused):
        forget_fact(actor=user_actor(project, role), project_id=project.id, fact_id=fact.id)
    with bind(project.id):
        assert (Fact.objects.count(), Tombstone.objects.count()) == (1, 0)


def test_another_projects_fact_is_not_there(project: Project) -> None:
    fact = make_fact(project, "Returns take 30 days.")
    other = make_project("globex")
    with pytest.raises(NotFound):
        forget_fact(actor=user_actor(other, "curator"), project_id=other.id, fact_id=fact.id)
    with bind(project.id):
        assert Fact.objects.count() == 1


def test_what_is_held_is_not_forgotten_before_it_is_released(project: Project) -> None:
    fact = learned(project)
    officer = user_actor(project, "privacy_officer")
    hold = place_hold(
        actor=officer,
        project_id=project.id,
        object_type="fact",
        object_id=str(fact.id),
        ground="a lawsuit",
        review_on=(now() + timedelta(days=30)).date(),
    )
    with pytest.raises(Conflict) as refused:
        forget_fact(actor=officer, project_id=project.id, fact_id=fact.id)
    assert refused.value.code == "held"
    with bind(project.id):
        assert (Fact.objects.count(), FactSource.objects.count(), Tombstone.objects.count()) == (1, 1, 0)
    release_hold(actor=officer, project_id=project.id, hold_id=hold.id)
    assert forget_fact(actor=officer, project_id=project.id, fact_id=fact.id).after.facts == 0
