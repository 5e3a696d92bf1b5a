"""One of a group is kept, the rest is superseded by it; or they are told apart for good. Both can be taken back."""

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict as Moved
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.merge_duplicates import Merge, merge_duplicates
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.part_duplicates import part_duplicates
from apps.curation.actions.undo_change import undo_change
from apps.curation.models import Conflict, DuplicateMember, NotDuplicates
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact, FactSource
from apps.tenancy.models import Project
from tests.console.stage import digests
from tests.curation.stage import learn, stage, told, wish
from tests.factories import make_fact, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return stage("one", "two")


@pytest.fixture
def curator(project: Project) -> object:
    return user_actor(project, "curator")


@pytest.fixture
def three(project: Project) -> list[Fact]:
    """One group: the project's own, and two of the agent, each said in a conversation of its own."""
    facts = [
        learn(project, wish(project, "Ships on Tuesdays", scope="project", statement={"scope_id": "acme"})),
        learn(project, wish(project, "Ships on Tuesdays.", trace="one")),
        make_fact(project, "SHIPS on Tuesdays;", agent=None),
    ]
    compare_facts()
    assert grouped(project) == sorted(fact.id for fact in facts)
    return facts


def grouped(project: Project) -> list[int]:
    with bind(project.id):
        return sorted(DuplicateMember.objects.values_list("fact_id", flat=True))


def merge(project: Project, curator: object, keep: Fact, *others: Fact) -> tuple[list[Fact], object]:
    chosen = Merge(keep.id, tuple(fact.id for fact in others))
    return merge_duplicates(actor=curator, project_id=project.id, merges=[chosen])


def test_the_rest_is_superseded_and_the_kept_one_has_all_evidence(
    project: Project, curator: object, three: list[Fact]
) -> None:
    keep, *others = three
    (kept,), change = merge(project, curator, keep, *others)
    assert told(project) == ["Ships on Tuesdays"]
    with bind(project.id):
        assert list(Fact.objects.filter(superseded_by=keep).order_by("id").values_list("id", flat=True)) == [
            fact.id for fact in others
        ]
        quotes = FactSource.objects.filter(fact=keep).order_by("id").values_list("quote", flat=True)
        assert list(quotes) == ["Ships on Tuesdays", "Ships on Tuesdays."]
        assert kept.corroborations == 1
        event = AuditEvent.objects.get(verb="duplicates.merge")
        assert (event.object_id, event.data) == (str(keep.id), {"supersedes": [fact.id for fact in others]})
    assert grouped(project) == []
    assert undo_change(actor=curator, change_id=change.id).left == []
    assert told(project) == ["Ships on Tuesdays", "Ships on Tuesdays.", "SHIPS on Tuesdays;"]
    compare_facts()
    with bind(project.id):
        assert grouped(project) == sorted(Fact.objects.current().values_list("id", flat=True))


def test_a_dispute_goes_over_to_the_kept_one(project: Project, curator: object, three: list[Fact]) -> None:
    keep, _, other = three
    against = make_fact(project, "Ships on Mondays.")
    open_conflict(actor=curator, project_id=project.id, fact_ids=[other.id, against.id])
    merge(project, curator, keep, other)
    with bind(project.id):
        keep.refresh_from_db()
        assert (keep.contested_at is not None, Conflict.objects.get().settled_at) == (True, None)


def test_two_of_a_group_that_were_in_dispute_end_it(project: Project, curator: object, three: list[Fact]) -> None:
    keep, _, other = three
    open_conflict(actor=curator, project_id=project.id, fact_ids=[keep.id, other.id])
    merge(project, curator, keep, other)
    with bind(project.id):
        keep.refresh_from_db()
        assert (keep.contested_at, Conflict.objects.get().settlement) == (None, "kept_one")


def test_only_what_is_in_one_group(project: Project, curator: object, three: list[Fact]) -> None:
    keep, other, gone = three
    stranger = make_fact(project, "Opens at nine.")
    with bind(project.id):
        before = digests()
    for wrong in ([stranger], [keep], [other, stranger]):
        with pytest.raises(Moved) as refused:
            merge(project, curator, keep, *wrong)
        assert refused.value.code == "not_together"
    with pytest.raises(Invalid):
        merge(project, curator, keep)
    with bind(project.id):
        assert digests() == before
    retire_fact(actor=curator, project_id=project.id, fact_id=gone.id, reason="stale")
    with pytest.raises(Moved):
        merge(project, curator, keep, other, gone)
    for role in ("viewer", "privacy_officer", "admin", "auditor"):
        with pytest.raises(Refused):
            merge(project, user_actor(project, role), keep, other)
    assert told(project) == ["Ships on Tuesdays", "Ships on Tuesdays.", "Opens at nine."]


def test_told_apart_for_good_until_taken_back(project: Project, curator: object, three: list[Fact]) -> None:
    change = part_duplicates(actor=curator, project_id=project.id, fact_ids=[fact.id for fact in three])
    assert grouped(project) == []
    compare_facts()
    assert grouped(project) == []
    with bind(project.id):
        assert NotDuplicates.objects.count() == 3
    with pytest.raises(Moved) as refused:
        part_duplicates(actor=curator, project_id=project.id, fact_ids=[fact.id for fact in three])
    assert refused.value.code == "not_together"
    assert undo_change(actor=curator, change_id=change.id).left == []
    compare_facts()
    assert grouped(project) == sorted(fact.id for fact in three)


def test_one_told_apart_leaves_the_others_together(project: Project, curator: object, three: list[Fact]) -> None:
    first, second, third = three
    part_duplicates(actor=curator, project_id=project.id, fact_ids=[second.id, third.id])
    compare_facts()
    # The first is like both, so they meet again through it until it is told apart from one.
    assert grouped(project) == sorted(fact.id for fact in three)
    change = part_duplicates(actor=curator, project_id=project.id, fact_ids=[first.id, third.id])
    compare_facts()
    assert grouped(project) == sorted([first.id, second.id])
    with pytest.raises(Refused):
        part_duplicates(actor=user_actor(project, "viewer"), project_id=project.id, fact_ids=[first.id, second.id])
    assert change.verb == "duplicates.part"
