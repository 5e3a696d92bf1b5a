"""Several facts become one, and come apart again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.access.actor import Actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, DomainError, Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.merge_facts import merge_facts
from apps.curation.actions.undo_change import UndoResult, undo_change
from apps.facts.append import Origin
from apps.facts.evidence import Evidence, source_rows
from apps.facts.models import Fact, FactDerivation, FactSource
from apps.facts.queries import versions
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.console.stage import push, state
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
SOON = now().replace(microsecond=0) + timedelta(days=3)
LATER = SOON + timedelta(days=3)


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Actor:
    return user_actor(project, "curator")


def quoted(project: Project, fact: Fact, trace: str) -> None:
    push(project, run_of(trace, "It ships free."))
    quote = Evidence(
        trace_id=trace_id(trace), message_id=None, quote=f"said in {trace}", start=0, end=4,
        observed_at=fact.observed_at,
    )  # fmt: skip
    with bind(project.id):
        FactSource.objects.bulk_create(source_rows(fact, [quote]))


def current(project: Project) -> list[Fact]:
    with bind(project.id):
        return list(Fact.objects.current().order_by("id"))


def test_one_fact_says_what_several_said(project: Project, curator: Actor) -> None:
    one = make_fact(
        project, "Ships free.", confidence=0.9, importance=0.2, sensitivity="personal", category="shipping",
        attribute="fee", expires_at=LATER, purposes=["support", "sales"],
        origin=Origin(trust=2, observed_at=datetime(2026, 3, 1, tzinfo=UTC)),
    )  # fmt: skip
    two = make_fact(
        project, "Ships free over 50 euros.", confidence=0.5, importance=0.7, sensitivity="internal",
        attribute="fee", expires_at=SOON, purposes=["sales"],
        origin=Origin(trust=4, observed_at=datetime(2026, 4, 1, tzinfo=UTC)),
    )  # fmt: skip
    quoted(project, one, "a")
    quoted(project, two, "b")
    merged, change = merge_facts(
        actor=curator, project_id=project.id, fact_ids=[two.id, one.id], content="Ships free over 50 euros, else 5."
    )
    assert (merged.content, merged.category, merged.attribute, merged.scope) == (
        "Ships free over 50 euros, else 5.", "shipping", "fee", "project",
    )  # fmt: skip
    # Never above the weakest, and told no wider and no longer than each was.
    assert (merged.confidence, merged.trust, merged.importance) == (0.5, 2, 0.7)
    assert (merged.sensitivity, merged.expires_at, merged.purposes) == ("personal", SOON, ["sales"])
    assert (merged.source, merged.speaker, merged.observed_at) == (
        "manual", "curator", datetime(2026, 4, 1, tzinfo=UTC),
    )  # fmt: skip
    with bind(project.id):
        assert set(Fact.objects.filter(superseded_by_id=merged.id).values_list("id", flat=True)) == {one.id, two.id}
        assert sorted(FactSource.objects.filter(fact_id=merged.id).values_list("quote", flat=True)) == [
            "said in a", "said in b",
        ]  # fmt: skip
        parents = FactDerivation.objects.filter(child_id=merged.id).values_list("parent_id", flat=True)
        assert sorted(parents) == [one.id, two.id]
        event = AuditEvent.objects.get(verb="facts.merge")
        assert (event.object_id, event.data) == (str(merged.id), {"supersedes": [one.id, two.id]})
    assert [fact.id for fact in current(project)] == [merged.id]

    assert undo_change(actor=curator, change_id=change.id) == UndoResult(1, [])
    first, second = current(project)
    assert (first.content, second.content) == (one.content, two.content)
    assert (first.confidence, first.trust, first.expires_at, second.expires_at) == (0.9, 2, LATER, SOON)
    with bind(project.id):
        gone = Fact.objects.get(id=merged.id)
        assert (gone.retired_reason, gone.superseded_at) == ("undone", None)
        assert [fact.id for fact in versions(project.id, first.id)] == [one.id, first.id]


def test_the_words_of_one_of_them_are_kept_with_where_they_came_from(project: Project, curator: Actor) -> None:
    learned = make_fact(project, "Ships free.", origin=Origin(source="learned", speaker="user", trust=3))
    other = make_fact(project, "Shipping costs nothing.")
    merged, _ = merge_facts(
        actor=curator, project_id=project.id, fact_ids=[learned.id, other.id], content="ships  FREE."
    )
    assert (merged.content, merged.source, merged.speaker, merged.trust) == ("ships FREE.", "learned", "user", 3)
    assert [fact.id for fact in current(project)] == [merged.id]


def test_forgetting_one_that_came_back_leaves_none_of_its_words(project: Project, curator: Actor) -> None:
    one, two = make_fact(project, "Lives in Porto."), make_fact(project, "Has a cat.")
    _, change = merge_facts(
        actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content="Lives in Porto with a cat."
    )
    undo_change(actor=curator, change_id=change.id)
    first, second = current(project)
    forget_fact(actor=curator, project_id=project.id, fact_id=first.id)
    with bind(project.id):
        assert sorted(Fact.objects.values_list("id", "content")) == [(two.id, "Has a cat."), (second.id, "Has a cat.")]


def test_forgetting_the_merged_fact_forgets_its_sources(project: Project, curator: Actor) -> None:
    one, two = make_fact(project, "A."), make_fact(project, "B.")
    merged, _ = merge_facts(actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content="A and B.")
    forget_fact(actor=curator, project_id=project.id, fact_id=merged.id)
    with bind(project.id):
        assert not Fact.objects.exists()


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ({"retired": "wrong"}, "fact_moved"),
        ({"restricted": "hold"}, "restricted"),
        ({"user": "ada"}, "other_scope"),
        ({"purposes": ["billing"]}, "no_audience"),
    ],
)
def test_what_can_not_be_merged(project: Project, curator: Actor, second: dict[str, Any], code: str) -> None:
    one, two = make_fact(project, "A.", purposes=["sales"]), make_fact(project, "B.", **second)
    before = state(project)
    with pytest.raises(DomainError) as refused:
        merge_facts(actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content="A and B.")
    assert refused.value.code == code
    assert state(project) == before


def test_a_fact_in_dispute_is_not_merged(project: Project, curator: Actor) -> None:
    one, two = make_fact(project, "A."), make_fact(project, "B.")
    with bind(project.id):
        Fact.objects.filter(id=two.id).update(contested_at=now())
    with pytest.raises(Conflict) as refused:
        merge_facts(actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content="A and B.")
    assert refused.value.code == "contested"


def test_words_said_by_another_fact_already(project: Project, curator: Actor) -> None:
    one, two, three = (make_fact(project, f"{name}.") for name in "ABC")
    before = state(project)
    with pytest.raises(Conflict) as refused:
        merge_facts(actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content="c.")
    assert (refused.value.code, str(three.id) in refused.value.detail) == ("fact_exists", True)
    assert state(project) == before


def test_how_many_and_whose(project: Project, curator: Actor) -> None:
    one, two = make_fact(project, "A."), make_fact(project, "B.")
    cases: list[tuple[list[int], type[DomainError]]] = [
        ([one.id, one.id], Invalid), (list(range(1, 22)), Invalid), ([one.id, two.id + 1_000], NotFound),
    ]  # fmt: skip
    for ids, error in cases:
        with pytest.raises(error):
            merge_facts(actor=curator, project_id=project.id, fact_ids=ids, content="A and B.")
    for content in ("", "my password is hunter2-Otter!91"):
        with pytest.raises(Invalid):
            merge_facts(actor=curator, project_id=project.id, fact_ids=[one.id, two.id], content=content)
    with pytest.raises(Refused):
        merge_facts(
            actor=user_actor(project, "privacy_officer"), project_id=project.id, fact_ids=[one.id, two.id], content="C."
        )
    assert [fact.id for fact in current(project)] == [one.id, two.id]
