"""What nearly says a fact is put before a person as "same as #n", and goes there when he agrees."""

from typing import Any

import pytest

from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits
from apps.curation.actions.propose import Wish
from apps.curation.models import Proposal, ProposalEvidence, ProposalTarget
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact, FactSource
from apps.inference.embeddings import embedder
from apps.recall.actions.embed_facts import embed_facts
from apps.tenancy.models import Project
from tests.curation.stage import approve, conflicts, learn, outcome, propose_one, put, stage, told, wish
from tests.factories import make_agent, make_fact, user_actor
from tests.spans import trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return stage("one", "two")


def meant(project: Project, content: str, **fields: Any) -> Wish:
    """A wish with its vector."""
    model = embedder()
    assert model is not None
    return wish(project, content, vector=model.embed([content])[0], **fields)


def near(project: Project, said: str = "Takes cello lessons.", again: str = "Is learning to play the cello.") -> tuple:
    """A learned fact with its vector, and the proposal that says it again in another conversation."""
    fact = learn(project, wish(project, said, user="ada"))
    embed_facts()
    return fact, propose_one(project, meant(project, again, user="ada", trace="one"))


def targets(proposal: Proposal) -> list[int]:
    return list(ProposalTarget.objects.filter(proposal_id=proposal.id).values_list("fact_id", flat=True))


def test_other_words_of_a_fact_name_it(project: Project) -> None:
    fact, proposal = near(project)
    with bind(project.id):
        assert (proposal.state, proposal.op, proposal.flags) == ("pending", "add", ["duplicate"])
        assert targets(proposal) == [fact.id]
        fact.refresh_from_db()
        assert fact.corroborations == 0  # a person has to agree first
    assert conflicts(project) == []


def test_the_one_meant_is_found_among_nearer_misses(project: Project) -> None:
    """One neighbour is not enough: the nearest differ in a number or a negation."""
    for content in (
        "Refunds above 400 euros need a second signature.",
        "Refunds above 600 euros need a second signature.",
        "Refunds above 500 euros need no second signature.",
    ):
        make_fact(project, content, user="ada")
    fact = make_fact(project, "For a refund above 500 euros a second signature is needed.", user="ada")
    embed_facts()
    proposal = propose_one(project, meant(project, "Refunds above 500 euros need a second signature.", user="ada"))
    with bind(project.id):
        assert (targets(proposal), proposal.flags) == ([fact.id], ["duplicate"])


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Returns take 30 days.", "Returns take 45 days."),
        ("Is allergic to nuts.", "Is not allergic to nuts."),
        ("The release owner is Mira.", "The release owner is Chen."),
        ("Prefers contact by e-mail.", "Prefers contact by phone."),
        ("Call after 6 pm.", "Call before 6 pm."),
    ],
)
def test_near_is_not_the_same(project: Project, known: str, said: str) -> None:
    make_fact(project, known, user="ada")
    embed_facts()
    proposal = propose_one(project, meant(project, said, user="ada"))
    with bind(project.id):
        assert (proposal.op, proposal.flags, targets(proposal)) == ("add", [], [])


def test_another_users_fact_is_never_the_same(project: Project) -> None:
    make_fact(project, "Takes cello lessons.", user="bob")
    embed_facts()
    assert propose_one(project, meant(project, "Is learning to play the cello.", user="ada")).flags == []


def test_the_fact_it_says_it_changes_is_not_the_same(project: Project) -> None:
    fact = make_fact(project, "Takes cello lessons.", user="ada")
    embed_facts()
    changed = meant(project, "Is learning to play the cello.", user="ada", changes=fact.id)
    assert propose_one(project, changed).flags == ["conflict"]


def test_without_an_embedder_the_same_words_in_another_order_are_seen(project: Project) -> None:
    fact = make_fact(project, "The release owner is Mira.", agent=make_agent(project, "support"))
    proposal = propose_one(project, wish(project, "Mira is the release owner."))
    with bind(project.id):
        assert (targets(proposal), proposal.flags) == ([fact.id], ["duplicate"])


def test_approving_it_merges_into_the_fact(project: Project) -> None:
    fact, proposal = near(project)
    done = approve(project, proposal)
    with bind(project.id):
        fact.refresh_from_db()
        assert (done.state, done.fact_id) == ("applied", fact.id)
        assert Fact.objects.count() == 1
        assert (fact.content, fact.corroborations) == ("Takes cello lessons.", 1)
        assert fact.last_seen_at == proposal.observed_at
        sources = FactSource.objects.filter(fact_id=fact.id).order_by("id")
        assert [(row.quote, row.trace_id) for row in sources] == [
            ("Takes cello lessons.", trace_id("t")),
            ("Is learning to play the cello.", trace_id("one")),
        ]
        event = AuditEvent.objects.filter(verb="proposals.approve").order_by("-seq")[0]
        assert event.data == {
            "fact": fact.id, "created": False, "edited": False, "supersedes": [], "same_as": fact.id
        }  # fmt: skip


def test_an_edited_one_is_a_fact_of_its_own(project: Project) -> None:
    fact, proposal = near(project)
    done = approve(project, proposal, edits=Edits(content="Learns the cello at the conservatory."))
    assert told(project) == ["Takes cello lessons.", "Learns the cello at the conservatory."]
    with bind(project.id):
        fact.refresh_from_db()
        assert (done.fact_id != fact.id, fact.corroborations) == (True, 0)


def test_the_reviewer_may_say_that_it_is_another_or_a_better_one(project: Project) -> None:
    _, proposal = near(project)
    approve(project, proposal, supersede=False)
    assert told(project) == ["Takes cello lessons.", "Is learning to play the cello."]
    better = propose_one(project, meant(project, "Takes lessons in cello.", user="ada", trace="two"))
    with bind(project.id):
        assert better.flags == ["duplicate"]
        (target,) = targets(better)
    approve(project, better, supersede=True)
    with bind(project.id):
        assert Fact.objects.get(id=target).superseded_by_id == Fact.objects.get(content="Takes lessons in cello.").id
        assert Fact.objects.active().count() == 2


def test_any_proposal_can_be_said_to_be_the_same_as_a_fact(project: Project) -> None:
    fact = learn(project, wish(project, "Returns take 45 days."))
    proposal = propose_one(project, wish(project, "Six weeks and three days for returns.", trace="one"))
    assert proposal.flags == []
    done = approve(project, proposal, same_as=fact.id)
    with bind(project.id):
        fact.refresh_from_db()
        assert (done.fact_id, fact.corroborations, Fact.objects.count()) == (fact.id, 1, 1)


def test_what_it_may_not_be_merged_into(project: Project) -> None:
    other_place = make_fact(project, "Returns take 45 days.")
    closed = make_fact(project, "Returns took long.", agent=make_agent(project, "support"), retired="stale")
    proposal = propose_one(project, wish(project, "Six weeks for returns."))
    for same_as, error, code in (
        (other_place.id, Invalid, "other_scope"),
        (closed.id, Conflict, "fact_moved"),
        (closed.id + 999, NotFound, "not_found"),
    ):
        with pytest.raises(error) as refused:
            approve(project, proposal, same_as=same_as)
        assert refused.value.code == code
    with pytest.raises(Invalid) as refused:
        approve(project, proposal, same_as=other_place.id, edits=Edits(content="Else."))
    assert refused.value.code == "not_editable"
    with bind(project.id):
        proposal.refresh_from_db()
        assert (proposal.state, Fact.objects.count(), FactSource.objects.count()) == ("pending", 2, 0)


def test_a_duplicate_of_a_fact_that_was_closed_is_overtaken(project: Project) -> None:
    fact, proposal = near(project)
    retire_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, reason="stale")
    assert approve(project, proposal).state == "conflicted"
    with bind(project.id):
        assert Fact.objects.count() == 1


def test_near_copies_of_what_waits_are_one_proposal(project: Project) -> None:
    said = ("The release owner is Mira.", "Mira is the release owner.", "Mira is release owner", "release owner: Mira")
    done = [outcome(project, wish(project, content, trace="one")) for content in said]
    assert [(one.kind, one.rule) for one in done] == [("proposed", ""), *[("same", "waiting")] * 3]
    with bind(project.id):
        assert Proposal.objects.count() == 1
        assert list(ProposalEvidence.objects.order_by("id").values_list("quote", flat=True)) == list(said)


def test_a_held_copy_never_joins_one_that_may_be_approved(project: Project) -> None:
    done = put(
        project,
        wish(project, "The release owner is Mira."),
        wish(project, "Mira is the release owner.", flags=("injection",)),
    )
    assert [one.kind for one in done.outcomes] == ["proposed", "held"]
