"""What taking back a retirement or a merge does to the conflicts that ended with it, and what stays told apart."""

import pytest

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.curation.actions.change_facts import change_facts
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.decide_proposal import decide_proposal
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.actions.merge_duplicates import Merge, merge_duplicates
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.part_duplicates import part_duplicates
from apps.curation.actions.undo_change import undo_change
from apps.curation.changing import Retirement
from apps.curation.models import Change, Conflict, DuplicateMember, Proposal, ProposalTarget
from apps.curation.standing import standing
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Actor:
    return user_actor(project, "curator")


@pytest.fixture
def pair(project: Project, curator: Actor) -> tuple[Fact, Fact, int]:
    """Two facts that a person put against each other, and the number of the conflict."""
    one, two = make_fact(project, "Ships on Tuesdays."), make_fact(project, "Ships on Fridays.")
    conflict, _ = open_conflict(actor=curator, project_id=project.id, fact_ids=[one.id, two.id])
    return one, two, conflict.id


def settled(project: Project, number: int) -> str:
    with bind(project.id):
        row = Conflict.objects.get(id=number)
        return row.settlement if row.settled_at else "open"


def sides(project: Project, number: int) -> set[str]:
    with bind(project.id):
        return {side.row.content for side in standing(project.id, number)}


def disputed(project: Project) -> set[str]:
    with bind(project.id):
        return set(Fact.objects.current().exclude(contested_at=None).values_list("content", flat=True))


BOTH = {"Ships on Tuesdays.", "Ships on Fridays."}


def retired(project: Project, curator: Actor, fact: Fact) -> Change:
    done = change_facts(actor=curator, project_id=project.id, fact_ids=[fact.id], wish=Retirement(reason="stale"))
    assert done.change is not None
    return done.change


def test_a_retirement_taken_back_opens_the_conflict_again(
    project: Project, curator: Actor, pair: tuple[Fact, Fact, int]
) -> None:
    one, _, number = pair
    change = retired(project, curator, one)
    assert settled(project, number) == "kept_one" and disputed(project) == set()
    result = undo_change(actor=curator, change_id=change.id)
    assert (result.undone, result.left) == (1, [])
    assert settled(project, number) == "open"
    assert sides(project, number) == disputed(project) == BOTH


def test_where_the_other_side_went_since_it_stays_settled_and_says_so(
    project: Project, curator: Actor, pair: tuple[Fact, Fact, int]
) -> None:
    one, two, number = pair
    change = retired(project, curator, one)
    retired(project, curator, two)
    result = undo_change(actor=curator, change_id=change.id)
    assert result.undone == 1
    assert result.left == [(f"conflict {number}", "Its other side no longer stands. It stays settled.")]
    assert settled(project, number) == "kept_one" and disputed(project) == set()


def test_where_another_conflict_took_its_place_it_stays_settled_and_says_so(
    project: Project, curator: Actor, pair: tuple[Fact, Fact, int]
) -> None:
    one, two, number = pair
    change = retired(project, curator, one)
    third = make_fact(project, "Ships on Sundays.")
    with bind(project.id):
        key = Conflict.objects.get(id=number)
        Conflict.objects.create(project_id=project.id, attribute=key.attribute, opened_by=curator.name)
    result = undo_change(actor=curator, change_id=change.id)
    assert result.left == [(f"conflict {number}", "Another conflict about this was opened since. It stays settled.")]
    assert settled(project, number) == "kept_one" and third.id and two.id


def test_a_merge_of_two_sides_taken_back_opens_it_again(project: Project, curator: Actor) -> None:
    whole = make_fact(project, "Ships on Tuesdays.")
    mine = make_fact(project, "ships on Tuesdays")
    conflict, _ = open_conflict(actor=curator, project_id=project.id, fact_ids=[whole.id, mine.id])
    compare_facts()
    merges = [Merge(whole.id, (mine.id,))]
    _, change = merge_duplicates(actor=curator, project_id=project.id, merges=merges)
    assert settled(project, conflict.id) == "kept_one"
    assert undo_change(actor=curator, change_id=change.id).left == []
    assert settled(project, conflict.id) == "open"
    assert sides(project, conflict.id) == disputed(project) == {"Ships on Tuesdays.", "ships on Tuesdays"}


def test_an_approved_retirement_taken_back_opens_it_again(
    project: Project, curator: Actor, pair: tuple[Fact, Fact, int]
) -> None:
    one, _, number = pair
    with bind(project.id):
        proposal = Proposal.objects.create(
            project_id=project.id, op="retire", origin="extraction", scope=one.scope, scope_id=one.scope_id,
            content=one.content, norm_hash=one.norm_hash, observed_at=one.observed_at,
        )  # fmt: skip
        ProposalTarget.objects.create(project_id=project.id, proposal=proposal, fact=one)
    _, change = decide_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id)
    assert settled(project, number) == "kept_one" and change is not None
    assert undo_change(actor=curator, change_id=change.id).left == []
    assert settled(project, number) == "open" and sides(project, number) == BOTH


def test_told_apart_stays_so_for_new_versions_of_either(project: Project, curator: Actor) -> None:
    whole = make_fact(project, "Ships on Tuesdays.")
    mine = make_fact(project, "ships on Tuesdays", agent=make_agent(project, "support"))
    compare_facts()
    change = part_duplicates(actor=curator, project_id=project.id, fact_ids=[whole.id, mine.id])
    compare_facts()
    for fact in (whole, mine):
        with bind(project.id):
            agent = fact.agent.name if fact.agent else ""
        statement = Statement(content=fact.content, scope=fact.scope, agent_name=agent, category="shipping")
        edit_fact(actor=curator, project_id=project.id, fact_id=fact.id, statement=statement)
    compare_facts()
    with bind(project.id):
        assert Fact.objects.current().filter(category="shipping").count() == 2
        assert not DuplicateMember.objects.exists()
    undo_change(actor=curator, change_id=change.id)
    compare_facts()
    with bind(project.id):
        assert DuplicateMember.objects.count() == 2
