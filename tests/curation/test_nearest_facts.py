"""The facts nearest to a text, by meaning and by words, among those of one scope id."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.transactions import bind
from apps.curation.nearest import Near, nearest_facts
from apps.facts.models import Fact
from apps.inference.embeddings import embedder
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.models import FactEmbedding
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def vector(text: str) -> list[float]:
    model = embedder()
    assert model is not None
    return model.embed([text])[0]


def near(
    project: Project, text: str, *, meaning: bool = True, limit: int = 5, most: int = 2_000, **where: object
) -> list[Near]:
    place: dict = {"scope": "user", "scope_id": "ada"} | where
    with bind(project.id):
        given = vector(text) if meaning else None
        return nearest_facts(project.id, text=text, vector=given, limit=limit, most=most, **place)


def test_by_meaning_and_by_words_several_of_them(project: Project) -> None:
    for content in (
        "Takes cello lessons.",
        "Is learning the piano.",
        "Is allergic to peanuts.",
        "Lives in Lisbon.",
        "Studies to play the violin.",
    ):
        make_fact(project, content, user="ada")
    embed_facts()
    found = near(project, "Is learning to play the cello.", limit=3)
    assert [one.fact.content for one in found] == [
        "Takes cello lessons.",
        "Studies to play the violin.",
        "Is learning the piano.",
    ]
    assert found[0].similarity == pytest.approx(0.90, abs=0.02)
    assert 0.1 < found[0].words < 0.4
    assert all(one.similarity is not None for one in found)


def test_without_a_vector_words_alone_count(project: Project) -> None:
    for content in ("Takes cello lessons.", "Is learning to play chess."):
        make_fact(project, content, user="ada")
    embed_facts()
    found = near(project, "Is learning to play the cello.", meaning=False)
    assert [(one.fact.content, one.similarity) for one in found] == [
        ("Is learning to play chess.", None),
        ("Takes cello lessons.", None),
    ]
    assert found[0].words > 0.5


def test_a_fact_that_has_no_vector_yet_is_found_by_its_words(project: Project) -> None:
    make_fact(project, "Takes cello lessons.", user="ada")
    embed_facts()
    make_fact(project, "Is learning to play the cello.", user="ada")
    found = near(project, "Is learning to play the cello.")
    assert [(one.fact.content, one.similarity is None) for one in found] == [
        ("Is learning to play the cello.", True),
        ("Takes cello lessons.", False),
    ]
    assert found[0].words == 1.0


def test_only_the_scope_id_and_only_what_is_told(project: Project) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    said = "Lives in Lisbon."
    mine = make_fact(project, said, user="ada")
    through = make_fact(project, said, user="ada", agent=support)
    make_fact(project, "Lived in Lisbon.", user="ada", restricted="erasure")
    make_fact(project, "Living in Lisbon.", user="ada", expired=True)
    make_fact(project, "Was in Lisbon.", user="ada", retired="wrong")
    make_fact(project, said, user="bob")
    make_fact(make_project("globex"), said, user="ada")
    embed_facts()
    assert {one.fact.id for one in near(project, said)} == {mine.id, through.id}
    assert {one.fact.id for one in near(project, said, agent_id=support.id)} == {mine.id, through.id}
    assert {one.fact.id for one in near(project, said, agent_id=orders.id)} == {mine.id}
    assert near(project, said, scope_id="") == []


def test_vectors_of_another_model_or_length_are_no_comparison(project: Project) -> None:
    fact = make_fact(project, "Takes cello lessons.", user="ada")
    with bind(project.id):
        FactEmbedding.objects.create(project_id=project.id, fact=fact, model="other", dims=384, vector=[0.1] * 384)
        FactEmbedding.objects.create(
            project_id=project.id, fact=fact, model="all-MiniLM-L6-v2-int8", dims=3, vector=[1, 0, 0]
        )
    (found,) = near(project, "Is learning to play the cello.")
    assert (found.fact.id, found.similarity) == (fact.id, None)


def test_every_fact_of_many_is_looked_at(project: Project) -> None:
    """An index over all vectors would hand back the nearest of the table and lose this user's one."""
    for number in range(60):
        make_fact(project, f"Takes cello lessons in room {number}.", user="bob")
    fact = make_fact(project, "Plays an instrument.", user="ada")
    embed_facts()
    (found,) = near(project, "Takes cello lessons.")
    assert (found.fact.id, found.similarity is not None) == (fact.id, True)
    with bind(project.id):
        assert Fact.objects.count() == FactEmbedding.objects.count() == 61


def test_of_a_large_place_the_newest_and_what_shares_rare_words(project: Project) -> None:
    old = make_fact(project, "Pays by invoice with purchase order QX-77 of Lisbon.", user="ada")
    make_fact(project, "Owns a boat.", user="ada")
    for number in range(12):
        make_fact(project, f"Wrote about parcel {number} of the shop.", user="ada")
    embed_facts()
    found = near(project, "Pays with purchase order QX-77 of Lisbon.", most=10)
    assert found[0].fact.id == old.id
    # An older one that shares no words is found by the index of vectors alone.
    said = "Has got sailing gear."
    found = [one.fact.content for one in near(project, said, most=10, limit=20, meaning=False)]
    assert "Owns a boat." not in found
    assert near(project, said, most=10)[0].fact.content == "Owns a boat."


def test_no_more_is_read_of_a_place_of_many(project: Project) -> None:
    """Rows that a comparison reads, by the plan: as many with forty facts as with twenty."""

    def read() -> int:
        with CaptureQueriesContext(connection) as captured:
            near(project, "Wrote about parcel 3 of the shop.", most=10, meaning=False)
        (sql,) = [query["sql"] for query in captured.captured_queries if "newest AS" in query["sql"]]
        with bind(project.id), connection.cursor() as cursor:
            # A table of a few pages is read whole, whatever indexes it has.
            cursor.execute(
                "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
            )
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
            (plan,) = cursor.fetchone()
        return sum(_scanned(plan[0]["Plan"]))

    for number in range(20):
        make_fact(project, f"Wrote about parcel {number} of the shop.", user="ada")
    few = read()
    for number in range(20, 40):
        make_fact(project, f"Wrote about parcel {number} of the shop.", user="ada")
    assert read() <= few


def _scanned(plan: dict) -> Iterator[int]:
    """Rows that each scan of the facts gave."""
    if plan.get("Relation Name") == "facts_fact":
        yield plan["Actual Rows"] * plan["Actual Loops"]
    for one in plan.get("Plans", []):
        yield from _scanned(one)
