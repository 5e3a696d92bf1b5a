"""Over the cap the oldest learned fact of a subject is proposed for retirement; what people wrote stays."""

from datetime import timedelta

import pytest

from apps.access.actor import system_actor
from apps.access.policies import Refused
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits
from apps.curation.actions.cap_learned import cap_learned
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal, ProposalTarget
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Origin
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.curation.stage import approve, learn, propose_one, put, stage, told, wish
from tests.factories import make_fact, make_subject, user_actor

pytestmark = pytest.mark.django_db

LIKES = ["Likes tea.", "Owns a boat.", "Sings alto.", "Rides a horse.", "Paints in oil."]


@pytest.fixture
def project() -> Project:
    return stage("one")


def learned(project: Project, *contents: str, user: str = "ada") -> list[Fact]:
    return [learn(project, wish(project, content, user=user)) for content in contents]


def cap(project: Project, most: int, *, user: str = "ada") -> list[str]:
    """What is newly proposed to be retired."""
    made = cap_learned(
        actor=system_actor("extraction", project.id),
        project_id=project.id,
        subject_id=make_subject(project, user).id,
        max_learned=most,
    )
    assert all((one.op, one.state, one.policy_rule) == ("retire", "pending", "cap_learned") for one in made)
    return [one.content for one in made]


def test_the_oldest_are_proposed_once(project: Project) -> None:
    facts = learned(project, *LIKES)
    assert cap(project, 5) == []
    assert cap(project, 3) == LIKES[:2]
    assert cap(project, 3) == []
    assert cap(project, 2) == LIKES[2:3]
    with bind(project.id):
        targets = ProposalTarget.objects.filter(proposal__op="retire").order_by("fact_id")
        assert [target.fact_id for target in targets] == [fact.id for fact in facts[:3]]
    assert told(project) == LIKES  # until a person agrees


def test_approving_retires_by_policy(project: Project) -> None:
    fact, *_ = learned(project, *LIKES[:2])
    cap(project, 1)
    with bind(project.id):
        proposal = Proposal.objects.get(op="retire")
    with pytest.raises(Invalid) as refused:
        approve(project, proposal, edits=Edits(content="Else."))
    assert refused.value.code == "not_editable"
    done = approve(project, proposal)
    assert (done.state, done.fact_id) == ("applied", fact.id)
    assert told(project) == LIKES[1:2]
    with bind(project.id):
        fact.refresh_from_db()
        assert fact.retired_reason == "policy"
    assert cap(project, 1) == []


def test_one_that_was_closed_meanwhile_is_overtaken(project: Project) -> None:
    fact, *_ = learned(project, *LIKES[:2])
    cap(project, 1)
    statement = Statement(content="Likes green tea.", scope="user", scope_id="ada")
    revise_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, statement=statement)
    with bind(project.id):
        proposal = Proposal.objects.get(op="retire")
    assert approve(project, proposal).state == "conflicted"
    assert told(project) == [LIKES[1], "Likes green tea."]


def test_a_fact_a_person_kept_is_not_asked_about_again(project: Project) -> None:
    learned(project, *LIKES[:3])
    assert cap(project, 2) == LIKES[:1]
    with bind(project.id):
        proposal = Proposal.objects.get(op="retire")
    reject_proposal(
        actor=user_actor(project, "curator"), project_id=project.id, proposal_id=proposal.id, reason="other"
    )
    assert cap(project, 2) == LIKES[1:2]


def test_what_a_person_wrote_edited_or_pinned_is_never_touched(project: Project) -> None:
    curator = user_actor(project, "curator")
    make_fact(project, "Is a nurse.", user="ada")
    pinned, revised, last = learned(project, *LIKES[:3])
    with bind(project.id):
        Fact.objects.filter(id=pinned.id).update(pinned=True)
    statement = Statement(content=revised.content, scope="user", scope_id="ada", importance=0.9)
    revise_fact(actor=curator, project_id=project.id, fact_id=revised.id, statement=statement)
    approve(
        project,
        propose_one(project, wish(project, "Drives.", user="ada")),
        edits=Edits(content="Drives an old Volvo."),
    )
    make_fact(project, "Naps.", user="ada", origin=Origin(source="learned", speaker="user"))  # no person approved it
    assert cap(project, 1) == [last.content, "Naps."]
    assert cap(project, 1) == []


def test_only_what_is_learned_and_told_of_this_subject_counts(project: Project) -> None:
    learned(project, *LIKES[:2])
    learned(project, *LIKES, user="bob")
    for content in ("Is a nurse.", "Has twins.", "Lives in Lisbon."):
        make_fact(project, content, user="ada")
    with bind(project.id):
        Fact.objects.filter(content=LIKES[0], subject__external_id="ada").update(
            expires_at=now() - timedelta(minutes=1)
        )
    assert cap(project, 1) == []
    assert cap(project, 3, user="bob") == LIKES[:2]


def test_proposing_looks_after_the_cap(project: Project) -> None:
    learned(project, *LIKES[:3])
    new = wish(project, "Collects stamps.", user="ada")
    assert len(put(project, new, max_learned=3).proposals) == 1
    with bind(project.id):
        assert Proposal.objects.filter(op="retire").count() == 0
    approve(project, put(project, wish(project, "Grows roses.", user="ada"), max_learned=None).proposals[0])
    put(project, wish(project, "Juggles knives.", user="ada"), max_learned=None)
    with bind(project.id):
        assert Proposal.objects.filter(op="retire").count() == 0
    put(project, wish(project, "Plays darts.", user="ada"), max_learned=3)
    with bind(project.id):
        assert [row.content for row in Proposal.objects.filter(op="retire")] == LIKES[:1]
    put(project, wish(project, "The office is closed on Fridays."), max_learned=1)  # about the work
    with bind(project.id):
        assert Proposal.objects.filter(op="retire").count() == 1


def test_a_waiting_retirement_swallows_no_new_statement(project: Project) -> None:
    fact, *_ = learned(project, *LIKES[:2])
    cap(project, 1)
    again = put(project, wish(project, LIKES[0], user="ada", trace="one")).outcomes[0]
    assert (again.rule, again.fact_id) == ("known", fact.id)
    with bind(project.id):
        retirement = Proposal.objects.get(op="retire")
    approve(project, retirement)
    assert put(project, wish(project, LIKES[0], user="ada", trace="one")).outcomes[0].kind == "proposed"


def test_a_viewer_may_not(project: Project) -> None:
    learned(project, *LIKES[:2])
    with pytest.raises(Refused):
        cap_learned(
            actor=user_actor(project, "viewer"),
            project_id=project.id,
            subject_id=make_subject(project, "ada").id,
            max_learned=1,
        )
    with bind(project.id):
        assert Proposal.objects.filter(op="retire").count() == 0
