"""Facts near in meaning under a filter."""

import pytest

from apps.core.transactions import bind
from apps.facts.queries import FactFilter
from apps.recall import meaning
from apps.recall.meaning import facts_meaning
from apps.recall.question import NOTHING, Question
from tests.factories import make_agent, make_fact, make_project
from tests.recall.test_ranking import at, embed_by_hand

pytestmark = pytest.mark.django_db
NEAR = Question("?", [], vector=at(0), model="by-hand")


@pytest.mark.parametrize("compared", [5_000, 1])
def test_the_nearest_of_the_filter_come_first(monkeypatch: pytest.MonkeyPatch, compared: int) -> None:
    monkeypatch.setattr(meaning, "COMPARED", compared)
    project, theirs = make_project("acme"), make_project("globex")
    agent = make_agent(project, "support")
    far, near, middle = (make_fact(project, text, agent=agent) for text in ("Far.", "Near.", "Middle."))
    other, gone = make_fact(project, "For all."), make_fact(project, "Gone.", agent=agent, retired="stale")
    make_fact(project, "Without a vector.", agent=agent)
    embed_by_hand(project, {far.id: at(80), near.id: at(1), middle.id: at(40), other.id: at(0), gone.id: at(0)})
    foreign = make_fact(theirs, "Theirs.")
    embed_by_hand(theirs, {foreign.id: at(0)})
    with bind(project.id):

        def found(**wanted: object) -> list[int]:
            asked = FactFilter(sensitivities=("internal",), query="not these words", **wanted)  # type: ignore[arg-type]
            return [fact.id for fact in facts_meaning(project.id, asked, NEAR).facts]

        assert found() == [other.id, near.id, middle.id, far.id]
        assert found(scope="agent") == [near.id, middle.id, far.id]
        assert set(found(scope="agent", superseded=True)) == {gone.id, near.id, middle.id, far.id}
        assert found(scope="user") == []
        monkeypatch.setattr(meaning, "BEST", 2)
        assert found() == [other.id, near.id]


def test_without_a_vector_there_is_none_and_a_reason() -> None:
    project = make_project("acme")
    make_fact(project, "One.")
    with bind(project.id):
        wanted = FactFilter(sensitivities=("internal",))
        assert facts_meaning(project.id, wanted, NOTHING) == meaning.Meant([], "no_embedder")
        away = Question("?", [], degraded="model_unavailable")
        assert facts_meaning(project.id, wanted, away) == meaning.Meant([], "model_unavailable")
