"""Two statements on one attribute: the approved one is told until a person decides, and nobody wins by himself."""

from datetime import timedelta

import pytest

from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Conflict, ConflictSide, Proposal, ProposalTarget
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.curation.stage import approve, conflicts, learn, propose_one, put, stage, told, wish
from tests.factories import make_agent, make_fact, user_actor

pytestmark = pytest.mark.django_db

HOME = {"user": "ada", "attribute": "home-city"}


@pytest.fixture
def project() -> Project:
    return stage("one", "two")


def say(project: Project, city: str, **fields: object) -> Proposal:
    return propose_one(project, wish(project, f"Lives in {city}.", **(HOME | fields)))


def reject(project: Project, proposal: Proposal) -> None:
    actor = user_actor(project, "curator")
    reject_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id, reason="not_said")


def targets(project: Project, proposal: Proposal) -> list[int]:
    with bind(project.id):
        return list(ProposalTarget.objects.filter(proposal_id=proposal.id).values_list("fact_id", flat=True))


def test_trusted_no_less_and_said_later_it_would_replace_and_the_old_is_told_meanwhile(project: Project) -> None:
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    proposal = say(project, "Porto")
    assert (proposal.op, proposal.flags, targets(project, proposal)) == ("supersede", ["conflict"], [fact.id])
    assert told(project) == ["Lives in Lisbon."]
    assert conflicts(project) == [("home-city", "open", {"#Lives in Lisbon.", "P Lives in Porto."})]
    approve(project, proposal)
    assert told(project) == ["Lives in Porto."]
    assert [row[:2] for row in conflicts(project)] == [("home-city", "kept_one")]
    with bind(project.id):
        settled = Conflict.objects.get()
        proposal.refresh_from_db()
        assert (settled.settled_by, settled.subject_id) == (proposal.reviewer, fact.subject_id)


@pytest.mark.parametrize("fields", [{"trust": 2}, {"trust": 5, "at": now() - timedelta(days=400)}])
def test_trusted_less_or_said_earlier_it_never_replaces_by_itself(project: Project, fields: dict) -> None:
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    proposal = say(project, "Porto", **fields)
    assert (proposal.op, proposal.flags, targets(project, proposal)) == ("add", ["conflict"], [])
    assert conflicts(project) == [("home-city", "open", {"#Lives in Lisbon.", "P Lives in Porto."})]
    for edits in (None, Edits(content="Lives in Porto now."), Edits(importance=0.9)):
        with pytest.raises(Invalid) as refused:
            approve(project, proposal, edits=edits)
        assert (refused.value.code, f"#{fact.id}" in refused.value.detail) == ("choice_required", True)
    with bind(project.id):
        proposal.refresh_from_db()
        fact.refresh_from_db()
        assert (proposal.state, fact.is_current, Fact.objects.count()) == ("pending", True, 1)
        assert Conflict.objects.get().settled_at is None


def test_a_persons_word_replaces_what_is_trusted_more(project: Project) -> None:
    fact = make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")  # a curator's: trust 5
    proposal = say(project, "Porto")
    done = approve(project, proposal, supersede=True)
    assert told(project) == ["Lives in Porto."]
    with bind(project.id):
        fact.refresh_from_db()
        assert fact.superseded_by_id == done.fact_id
    assert [row[1] for row in conflicts(project)] == ["kept_one"]


def test_a_persons_word_keeps_both(project: Project) -> None:
    make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    approve(project, say(project, "Porto"), supersede=False)
    assert told(project) == ["Lives in Lisbon.", "Lives in Porto."]
    assert [row[1] for row in conflicts(project)] == ["kept_both"]


def test_moved_to_another_scope_it_contradicts_nothing_there(project: Project) -> None:
    make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    approve(project, say(project, "Porto"), edits=Edits(scope="user", scope_id="bob"))
    assert told(project) == ["Lives in Lisbon.", "Lives in Porto."]
    assert [row[1] for row in conflicts(project)] == ["kept_both"]


def test_a_third_wording_is_written_new(project: Project) -> None:
    make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    edits = Edits(content="Moved from Lisbon to Porto.")
    approve(project, say(project, "Porto"), edits=edits, supersede=True)
    assert told(project) == ["Moved from Lisbon to Porto."]
    assert [row[1] for row in conflicts(project)] == ["wrote_new"]


def test_a_no_settles_it_for_the_fact(project: Project) -> None:
    make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    reject(project, say(project, "Porto"))
    assert told(project) == ["Lives in Lisbon."]
    assert [row[1] for row in conflicts(project)] == ["kept_one"]


def test_a_pinned_fact_is_never_a_target(project: Project) -> None:
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(pinned=True)
    assert say(project, "Porto").op == "add"
    assert [row[1] for row in conflicts(project)] == ["open"]


def test_two_that_wait_are_both_sides_and_the_second_needs_a_word(project: Project) -> None:
    lisbon, porto = say(project, "Lisbon"), say(project, "Porto", trace="one")
    with bind(project.id):
        lisbon.refresh_from_db()
    assert (lisbon.flags, porto.flags, porto.op) == (["conflict"], ["conflict"], "add")
    assert conflicts(project) == [("home-city", "open", {"P Lives in Lisbon.", "P Lives in Porto."})]
    approve(project, lisbon)
    assert [row[1] for row in conflicts(project)] == ["open"]  # one still waits beside the fact
    with pytest.raises(Invalid) as refused:
        approve(project, porto)
    assert refused.value.code == "choice_required"
    assert told(project) == ["Lives in Lisbon."]
    approve(project, porto, supersede=True)
    assert told(project) == ["Lives in Porto."]
    assert [row[1] for row in conflicts(project)] == ["kept_one"]


def test_all_that_speak_against_one_fact_stand_in_one_conflict(project: Project) -> None:
    learn(project, wish(project, "Lives in Lisbon.", **HOME))
    porto, faro = say(project, "Porto"), say(project, "Faro")
    assert conflicts(project) == [("home-city", "open", {"#Lives in Lisbon.", "P Lives in Porto.", "P Lives in Faro."})]
    reject(project, porto)
    assert [row[1] for row in conflicts(project)] == ["open"]
    reject(project, faro)
    assert [row[1] for row in conflicts(project)] == ["kept_one"]
    say(project, "Braga")
    assert [row[1] for row in conflicts(project)] == ["kept_one", "open"]


def test_the_fact_may_be_edited_meanwhile(project: Project) -> None:
    fact = make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    proposal = say(project, "Porto")
    newer = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=fact.id,
        statement=Statement(content="Lives in Lisbon, Alfama.", scope="user", scope_id="ada", attribute="home-city"),
    )
    with pytest.raises(Invalid) as refused:
        approve(project, proposal)
    assert f"#{newer.id}" in refused.value.detail
    approve(project, proposal, supersede=True)
    assert told(project) == ["Lives in Porto."]


def test_there_must_be_something_to_replace(project: Project) -> None:
    proposal = say(project, "Lisbon")
    with pytest.raises(Invalid) as refused:
        approve(project, proposal, supersede=True)
    assert refused.value.code == "nothing_to_replace"
    assert told(project) == []


def test_work_is_the_agents_or_the_projects_own(project: Project) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    window = {"attribute": "refund-window"}
    make_fact(project, "Refunds take 30 days.", agent=support, **window)
    make_fact(project, "Refunds take 30 days.", agent=orders, **window)
    make_fact(project, "Refunds take 30 days.", **window)
    put(project, wish(project, "Refunds take 45 days.", **window))
    with bind(project.id):
        (conflict,) = Conflict.objects.all()
        assert (conflict.agent_id, conflict.subject_id) == (support.id, None)
        assert ConflictSide.objects.count() == 2
    put(project, wish(project, "Refunds take 60 days.", scope="project", statement={"scope_id": "acme"}, **window))
    with bind(project.id):
        assert Conflict.objects.filter(agent=None, subject=None).count() == 1


def test_an_attribute_of_several_values_contradicts_only_what_is_said_to_change(project: Project) -> None:
    allergy = {"user": "ada", "attribute": "allergy", "replaces": False}
    nuts = learn(project, wish(project, "Is allergic to nuts.", **allergy))
    learn(project, wish(project, "Is allergic to latex.", **allergy))
    assert conflicts(project) == []
    proposal = propose_one(project, wish(project, "Is no longer allergic to nuts.", changes=nuts.id, **allergy))
    assert (proposal.op, targets(project, proposal)) == ("supersede", [nuts.id])
    approve(project, proposal)
    assert told(project) == ["Is allergic to latex.", "Is no longer allergic to nuts."]


@pytest.mark.parametrize("attribute", [None, "diet"])
@pytest.mark.parametrize("known", [None, "employer"])
def test_a_fact_named_as_changed_on_something_else_is_a_persons_to_end(
    project: Project, known: str | None, attribute: str | None
) -> None:
    job = make_fact(project, "Is the CTO of Globex.", user="ada", attribute=known)
    said = {"user": "ada", "attribute": attribute, "changes": job.id, "trust": 5}
    proposal = propose_one(project, wish(project, "Administers the org account.", **said))
    assert (proposal.op, proposal.flags, targets(project, proposal)) == ("add", ["conflict"], [])
    sides = {"#Is the CTO of Globex.", "P Administers the org account."}
    assert conflicts(project) == [(f"fact-{job.id}", "open", sides)]
    with pytest.raises(Invalid) as refused:
        approve(project, proposal)
    assert (refused.value.code, f"#{job.id}" in refused.value.detail) == ("choice_required", True)
    assert told(project) == ["Is the CTO of Globex."]
    approve(project, proposal, supersede=True)
    assert told(project) == ["Administers the org account."]
    assert [row[:2] for row in conflicts(project)] == [(f"fact-{job.id}", "kept_one")]


def test_named_on_something_else_it_replaces_not_even_what_it_could(project: Project) -> None:
    home = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    job = make_fact(project, "Is the CTO of Globex.", user="ada", attribute="employer")
    proposal = say(project, "Porto", changes=job.id)
    assert (proposal.op, targets(project, proposal)) == ("add", [])
    assert [row[:2] for row in conflicts(project)] == [("home-city", "open"), (f"fact-{job.id}", "open")]
    approve(project, proposal, supersede=True)
    assert told(project) == ["Lives in Porto."]
    assert [row[1] for row in conflicts(project)] == ["kept_one", "kept_one"]
    with bind(project.id):
        assert set(Fact.objects.filter(superseded_by=Fact.objects.active().get()).values_list("id", flat=True)) == {
            home.id,
            job.id,
        }


@pytest.mark.parametrize("attribute", [None, "employer"])
def test_a_fact_of_another_place_is_never_changed(project: Project, attribute: str | None) -> None:
    for fact in (
        make_fact(project, "Is the CTO of Globex.", user="bob", attribute="employer"),
        make_fact(project, "Globex is a customer.", attribute="employer"),
    ):
        content = f"Works at Initech, and not as #{fact.id} says."
        proposal = propose_one(
            project, wish(project, content, user="ada", attribute=attribute, changes=fact.id, replaces=False, trust=5)
        )
        assert (proposal.op, proposal.flags, targets(project, proposal), conflicts(project)) == ("add", [], [], [])


def test_a_closed_fact_is_not_changed(project: Project) -> None:
    job = make_fact(project, "Is the CTO of Globex.", user="ada", attribute="employer")
    with bind(project.id):
        Fact.objects.filter(id=job.id).update(retired_at=now(), retired_reason="policy")
    proposal = propose_one(project, wish(project, "Administers the org account.", user="ada", changes=job.id, trust=5))
    assert (proposal.flags, conflicts(project)) == ([], [])


def test_the_same_value_in_other_words_is_no_contradiction(project: Project) -> None:
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    proposal = propose_one(project, wish(project, "Her home is in Lisbon.", trace="one", **HOME))
    assert (proposal.flags, targets(project, proposal), conflicts(project)) == (["duplicate"], [fact.id], [])


@pytest.mark.parametrize("scope", ["session", "other"])
def test_sessions_and_other_places_each_have_conflicts_of_their_own(project: Project, scope: str) -> None:
    def cart(place: str, books: int, **fields: object) -> Proposal:
        here = {"scope": scope, "attribute": "cart", "statement": {"scope_id": place}}
        return propose_one(project, wish(project, f"The cart holds {books} books.", **(here | fields)))

    approve(project, cart("one", 2))
    approve(project, cart("two", 2))
    first, second = cart("one", 3), cart("two", 4, trust=2)
    assert [(one.op, one.flags) for one in (first, second)] == [("supersede", ["conflict"]), ("add", ["conflict"])]
    assert conflicts(project) == [
        ("cart", "open", {"#The cart holds 2 books.", "P The cart holds 3 books."}),
        ("cart", "open", {"#The cart holds 2 books.", "P The cart holds 4 books."}),
    ]
    with bind(project.id):
        places = Conflict.objects.order_by("id").values_list("scope", "scope_id", "subject_id", "agent_id")
        assert list(places) == [(scope, "one", None, None), (scope, "two", None, None)]
    with pytest.raises(Invalid) as refused:
        approve(project, second)
    assert refused.value.code == "choice_required"
    approve(project, first)
    assert [row[1] for row in conflicts(project)] == ["kept_one", "open"]
    # The project's own is another place than any of them.
    make_fact(project, "The cart holds 9 books.", attribute="cart")
    put(
        project,
        wish(project, "The cart holds 8 books.", scope="project", attribute="cart", statement={"scope_id": "acme"}),
    )
    with bind(project.id):
        assert Conflict.objects.filter(scope="", scope_id="", settled_at=None).count() == 1


def test_forgetting_the_fact_leaves_the_other_side_alone_and_moot(project: Project) -> None:
    fact = make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    proposal = say(project, "Porto")
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    assert conflicts(project) == [("home-city", "moot", {"P Lives in Porto."})]
    approve(project, proposal)
    assert told(project) == ["Lives in Porto."]


def test_forgetting_the_last_side_takes_the_conflict_along(project: Project) -> None:
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    say(project, "Porto")  # would replace it, so it goes too
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    assert conflicts(project) == []
    with bind(project.id):
        assert (ConflictSide.objects.count(), Proposal.objects.count()) == (0, 0)


def test_forgetting_one_of_three_leaves_it_open(project: Project) -> None:
    fact = make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    say(project, "Porto")
    say(project, "Faro")
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    assert conflicts(project) == [("home-city", "open", {"P Lives in Porto.", "P Lives in Faro."})]
