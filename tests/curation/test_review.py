"""The one gate: approve, edit, reject; and what is never proposed twice."""

from datetime import timedelta

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.console.proposal_reads import shown_proposal
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.ids import uuid7
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.curation.queries import QueueFilter, Waiting, queue, told_to, waiting_counts
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Project
from tests.curation.stage import dropped, propose_one, stage, wish
from tests.factories import make_agent, make_fact, make_project, make_user, user_actor
from tests.spans import trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return stage()


def test_approving_makes_the_fact_with_its_evidence(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    assert (proposal.state, proposal.op, proposal.scope_id) == ("pending", "add", "support")
    decided = approve_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id)
    with bind(project.id):
        fact = Fact.objects.get()
        assert (decided.state, decided.fact_id, decided.reviewer) == ("applied", fact.id, curator.name)
        assert (fact.content, fact.scope, fact.scope_id) == ("Returns take 45 days.", "agent", "support")
        assert (fact.source, fact.source_trace_id, fact.proposal_id) == ("learned", trace_id("t"), proposal.id)
        assert (fact.confidence, fact.trust, fact.speaker, fact.approved_by) == (0.6, 3, "user", curator.name)
        assert [(row.quote, row.trace_id) for row in FactSource.objects.all()] == [
            ("Returns take 45 days.", trace_id("t"))
        ]
        event = AuditEvent.objects.get(verb="proposals.approve")
        assert event.data == {"fact": fact.id, "created": True, "edited": False, "supersedes": []}


def test_the_reviewer_may_change_words_and_scope(project: Project) -> None:
    proposal = propose_one(project, wish(project, "Prefers e-mail.", scope="user", user="ada"))
    approve_proposal(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        proposal_id=proposal.id,
        edits=Edits(content="Customers prefer e-mail.", scope="project", sensitivity="internal", importance=0.9),
    )
    with bind(project.id):
        fact = Fact.objects.get()
        assert (fact.content, fact.scope, fact.scope_id, fact.subject_id) == (
            "Customers prefer e-mail.",
            "project",
            "acme",
            None,
        )
        assert (fact.sensitivity, fact.importance) == ("internal", 0.9)


def test_a_held_one_needs_a_subject_first(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Prefers e-mail.", scope="user"))
    assert (proposal.state, proposal.scope_id, proposal.flags) == ("quarantined", "", ["no_subject"])
    with pytest.raises(Invalid) as refused:
        approve_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id)
    assert refused.value.errors[0].pointer == "/scope_id"
    with bind(project.id):
        assert Fact.objects.count() == 0
        assert Proposal.objects.get().state == "quarantined"
    approve_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, edits=Edits(scope_id="ada"))
    with bind(project.id):
        assert Fact.objects.get().scope_id == "ada"


def test_a_secret_is_never_approved(project: Project) -> None:
    proposal = propose_one(project, wish(project, "The code is hidden.", flags=("secret",)))
    with pytest.raises(Conflict):
        approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal.id)
    with bind(project.id):
        assert Fact.objects.count() == 0
        assert Proposal.objects.get().state == "quarantined"


def test_a_second_decision_changes_nothing(project: Project) -> None:
    first, second = user_actor(project, "curator"), user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    reject_proposal(actor=first, project_id=project.id, proposal_id=proposal.id, reason="vague")
    for act in (
        lambda: approve_proposal(actor=second, project_id=project.id, proposal_id=proposal.id),
        lambda: reject_proposal(actor=second, project_id=project.id, proposal_id=proposal.id, reason="private"),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "proposal_decided"
    with bind(project.id):
        proposal.refresh_from_db()
        assert (proposal.state, proposal.reason, proposal.reviewer) == ("rejected", "vague", first.name)
        assert Fact.objects.count() == 0


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_a_curator_decides(project: Project, role: str) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    actor = user_actor(project, role)
    with pytest.raises(Refused):
        approve_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id)
    with pytest.raises(Refused):
        reject_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id, reason="vague")
    with bind(project.id):
        assert Proposal.objects.get().state == "pending"
        assert Fact.objects.count() == 0


def test_another_projects_proposal_is_not_there(project: Project) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    other = make_project("globex")
    for proposal_id in (proposal.id, uuid7()):
        with pytest.raises(NotFound):
            approve_proposal(actor=user_actor(other, "curator"), project_id=other.id, proposal_id=proposal_id)
    with bind(project.id):
        assert Proposal.objects.get().state == "pending"


def test_a_new_value_of_an_attribute_replaces_the_old_when_approved(project: Project) -> None:
    curator = user_actor(project, "curator")
    home = {"scope": "user", "user": "ada", "attribute": "home-city"}
    old = propose_one(project, wish(project, "Lives in Lisbon.", **home))
    approve_proposal(actor=curator, project_id=project.id, proposal_id=old.id)
    new = propose_one(project, wish(project, "Lives in Porto.", **home))
    assert (new.op, new.flags) == ("supersede", ["conflict"])
    with bind(project.id):
        assert [fact.content for fact in Fact.objects.active()] == ["Lives in Lisbon."]  # served until approved
    approve_proposal(actor=curator, project_id=project.id, proposal_id=new.id)
    with bind(project.id):
        assert [fact.content for fact in Fact.objects.active()] == ["Lives in Porto."]
        closed = Fact.objects.get(content="Lives in Lisbon.")
        assert closed.superseded_by_id == Fact.objects.get(content="Lives in Porto.").id


def test_a_target_that_moved_makes_it_conflicted_and_nothing_else(project: Project) -> None:
    curator = user_actor(project, "curator")
    home = {"scope": "user", "user": "ada", "attribute": "home-city"}
    approve_proposal(
        actor=curator,
        project_id=project.id,
        proposal_id=propose_one(project, wish(project, "Lives in Lisbon.", **home)).id,
    )
    first = propose_one(project, wish(project, "Lives in Porto.", **home))
    second = propose_one(project, wish(project, "Lives in Faro.", **home))
    approve_proposal(actor=curator, project_id=project.id, proposal_id=first.id)
    assert approve_proposal(actor=curator, project_id=project.id, proposal_id=second.id).state == "conflicted"
    with bind(project.id):
        assert [fact.content for fact in Fact.objects.active()] == ["Lives in Porto."]
        assert Fact.objects.count() == 2


def test_lower_trust_and_older_words_do_not_target_a_fact(project: Project) -> None:
    make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")  # a curator's: trust 5
    home = {"scope": "user", "user": "ada", "attribute": "home-city"}
    assert propose_one(project, wish(project, "Lives in Porto.", **home)).op == "add"
    older = wish(project, "Lives in Faro.", **home, trust=5, observed_at=now() - timedelta(days=400))
    assert propose_one(project, older).op == "add"


def test_an_attribute_of_several_values_replaces_nothing(project: Project) -> None:
    curator = user_actor(project, "curator")
    allergy = {"scope": "user", "user": "ada", "attribute": "allergy", "replaces": False}
    for content in ("Is allergic to nuts.", "Is allergic to latex."):
        proposal = propose_one(project, wish(project, content, **allergy))
        assert (proposal.op, proposal.flags) == ("add", [])
        approve_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id)
    with bind(project.id):
        assert Fact.objects.active().count() == 2


def test_what_is_known_waiting_or_refused_is_not_proposed_again(project: Project) -> None:
    curator = user_actor(project, "curator")
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    assert dropped(project, wish(project, "returns  take 45 DAYS.")) == {"waiting": 1}
    reject_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, reason="vague")
    assert dropped(project, wish(project, "Returns take 45 days.")) == {"refused_before": 1}
    make_fact(project, "Shops open at nine.", agent=make_agent(project, "support"))
    assert dropped(project, wish(project, "Shops open at nine.")) == {"known": 1}
    with bind(project.id):
        assert Proposal.objects.count() == 1


def test_a_proposal_of_words_that_became_a_fact_meanwhile_adds_its_evidence(project: Project) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    fact = make_fact(project, "Returns take 45 days.", agent=make_agent(project, "support"))
    decided = approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal.id)
    with bind(project.id):
        assert (decided.state, decided.fact_id) == ("applied", fact.id)
        assert Fact.objects.count() == 1
        assert FactSource.objects.filter(fact_id=fact.id).count() == 1


def test_an_unknown_reason_is_refused(project: Project) -> None:
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    with pytest.raises(Invalid):
        reject_proposal(
            actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal.id, reason="because"
        )
    with bind(project.id):
        assert Proposal.objects.get().state == "pending"


def test_the_queue_and_its_neighbours(project: Project) -> None:
    make_fact(project, "Returns take 30 days.", agent=make_agent(project, "support"))
    proposal = propose_one(project, wish(project, "Returns take 45 days."))
    held = propose_one(project, wish(project, "Prefers e-mail.", scope="user"))
    make_agent(project, "orders")
    user = make_user(project, "curator")
    everything = ("public", "internal", "personal", "special")
    with bind(project.id):
        assert set(queue(project.id, QueueFilter(sensitivities=everything))) == {proposal, held}
        assert list(queue(project.id, QueueFilter(sensitivities=everything, flags=("no_subject",)))) == [held]
        assert [fact.content for fact in shown_proposal(proposal, everything).near] == ["Returns take 30 days."]
        assert shown_proposal(held, everything).near == []
    assert "only in reads that name the user ada" in told_to("user", "ada")
    assert waiting_counts(user.id) == {project.id: Waiting(2, 0)}
    assert waiting_counts(make_user(make_project("globex"), "viewer").id) != {project.id: Waiting(2, 0)}
