"""Facts near in meaning under a filter."""

import pytest

from apps.core.transactions import bind
from apps.facts.queries import FactFilter
from apps.recall import meaning
from apps.recall.meaning import facts_meaning
from apps.recall.models import FactEmbedding
from apps.recall.question import NOTHING, Question
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project
from tests.recall.test_ranking import at, embed_by_hand

pytestmark = pytest.mark.django_db
NEAR = Question("?", [], vector=at(0), model="by-hand")
INDEXED = Question("?", [], vector=[*at(0), *[0.0] * 382], model="by-hand")
"""Vectors of this length have an index."""


def embed_indexed(project: Project, degrees: dict[int, float]) -> None:
    with bind(project.id):
        FactEmbedding.objects.bulk_create(
            FactEmbedding(
                project_id=project.id, fact_id=fact, model="by-hand", dims=384, vector=[*at(degree), *[0.0] * 382]
            )
            for fact, degree in degrees.items()
        )


@pytest.mark.parametrize("compared", [5_000, 1])
def test_the_nearest_of_the_filter_come_first(monkeypatch: pytest.MonkeyPatch, compared: int) -> None:
    monkeypatch.setattr(meaning, "COMPARED", compared)
    project, theirs = make_project("acme"), make_project("globex")
    agent = make_agent(project, "support")
    far, near, middle = (make_fact(project, text, agent=agent) for text in ("Far.", "Near.", "Middle."))
    other, gone = make_fact(project, "For all."), make_fact(project, "Gone.", agent=agent, retired="stale")
    make_fact(project, "Without a vector.", agent=agent)
    embed_indexed(project, {far.id: 80, near.id: 1, middle.id: 40, other.id: 0, gone.id: 0})
    foreign = make_fact(theirs, "Theirs.")
    embed_indexed(theirs, {foreign.id: 0})
    with bind(project.id):

        def found(**wanted: object) -> list[int]:
            asked = FactFilter(sensitivities=("internal",), query="not these words", **wanted)  # type: ignore[arg-type]
            return [fact.id for fact in facts_meaning(project.id, asked, INDEXED).facts]

        assert found() == [other.id, near.id, middle.id, far.id]
        assert found(scope="agent") == [near.id, middle.id, far.id]
        assert set(found(scope="agent", superseded=True)) == {gone.id, near.id, middle.id, far.id}
        assert found(scope="user") == []
        monkeypatch.setattr(meaning, "BEST", 2)
        assert found() == [other.id, near.id]


def test_without_an_index_of_vectors_the_newest_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "COMPARED", 2)
    project = make_project("acme")
    old, newer, newest = (make_fact(project, text) for text in ("Old.", "Newer.", "Newest."))
    embed_by_hand(project, {old.id: at(0), newer.id: at(80), newest.id: at(40)})
    with bind(project.id):
        meant = facts_meaning(project.id, FactFilter(sensitivities=("internal",)), NEAR)
    assert ([fact.id for fact in meant.facts], meant.degraded) == ([newest.id, newer.id], "not_indexed")


def test_without_a_vector_there_is_none_and_a_reason() -> None:
    project = make_project("acme")
    make_fact(project, "One.")
    with bind(project.id):
        wanted = FactFilter(sensitivities=("internal",))
        assert facts_meaning(project.id, wanted, NOTHING) == meaning.Meant([], "no_embedder")
        away = Question("?", [], degraded="model_unavailable")
        assert facts_meaning(project.id, wanted, away) == meaning.Meant([], "model_unavailable")
