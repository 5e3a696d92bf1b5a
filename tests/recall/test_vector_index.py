"""Vectors of any length: right without an index, by it where there is one, and where it comes back short."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, connection, connections
from pytest_django import Settings

from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.recall import serving
from apps.recall.actions.index_vectors import index_vectors
from apps.recall.models import EmbeddingModel, FactEmbedding
from apps.recall.serving import standing
from apps.tenancy.models import Agent, Project
from memoryplane.management.commands import doctor
from tests.factories import make_agent, make_fact, make_project

DIMS = 6
INDEX = f"recall_embedding_{DIMS}_idx"
READER = "ROW(%s, NULL, %s, %s, %s, NULL, NULL, ARRAY['internal'], %s, NULL, NULL, '', NULL, NULL, now(), false)::recall_reader"


def at(degrees: float, dims: int = DIMS) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), *[0.0] * (dims - 2)]


@pytest.fixture
def stocked(request: pytest.FixtureRequest) -> tuple[Project, Agent, list[int]]:
    """30 facts, one a degree, every tenth of the category `rare`, and another agent's between them."""
    if "fresh_db" in request.fixturenames:
        request.getfixturevalue("fresh_db")
    project = make_project()
    agent, other = make_agent(project, "support"), make_agent(project, "orders")
    rows = []
    for degree in range(30):
        category = "rare" if degree % 10 == 0 else "general"
        rows.append((make_fact(project, f"Rule {degree}.", agent=agent, category=category).id, degree))
        rows.append((make_fact(project, f"Rule {degree}.", agent=other).id, degree + 0.1))
    with bind(project.id):
        FactEmbedding.objects.bulk_create(
            FactEmbedding(project_id=project.id, fact_id=fact, model="by-hand", dims=DIMS, vector=at(degree))
            for fact, degree in rows
        )
    return project, agent, [fact for fact, _ in rows[::2]]


def nearest(
    function: str, project: Project, agent: Agent, *, deep: int, degrees: float, categories: Any = None
) -> list[int]:
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {function}({READER}, %s, %s::halfvec, 'by-hand')",
            [project.id, agent.id, agent.name, project.slug, categories, deep, str(at(degrees))],
        )
        found: list[int] = cursor.fetchone()[0]
    return found


def index_scans(project: Project, ask: Callable[[], object]) -> int:
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_stat_get_xact_numscans('{INDEX}'::regclass)")
        (before,) = cursor.fetchone()
        ask()
        cursor.execute(f"SELECT pg_stat_get_xact_numscans('{INDEX}'::regclass)")
        return int(cursor.fetchone()[0] - before)


@pytest.mark.django_db
def test_without_an_index_all_are_compared_and_none_is_lost(stocked: tuple[Project, Agent, list[int]]) -> None:
    project, agent, facts = stocked
    for function in ("nearest_of_many", "nearest_by_scan"):
        assert nearest(function, project, agent, deep=3, degrees=12.1) == [facts[12], facts[13], facts[11]]
        assert len(nearest(function, project, agent, deep=50, degrees=12.1)) == 30
        rare = nearest(function, project, agent, deep=3, degrees=12.1, categories=["rare"])
        assert rare == [facts[10], facts[20], facts[0]]
        assert nearest(function, project, agent, deep=3, degrees=12.1, categories=[]) == []


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_default_lengths_index_is_there_and_a_long_one_can_have_none() -> None:
    assert index_vectors(dims=384) is False
    with pytest.raises(Conflict) as refused:
        index_vectors(dims=4_096)
    assert refused.value.code == "too_long_for_an_index"
    assert {"4,096", "4,000:"} <= set(refused.value.detail.split())


def test_the_index_is_made_once_and_used(fresh_db: str, stocked: tuple[Project, Agent, list[int]]) -> None:
    project, agent, facts = stocked
    assert index_vectors(dims=DIMS) is True
    assert index_vectors(dims=DIMS) is False
    found: list[int] = []
    assert (
        index_scans(project, lambda: found.extend(nearest("nearest_of_many", project, agent, deep=3, degrees=12.1)))
        == 1
    )
    assert set(found) == {facts[12], facts[13], facts[11]}
    assert index_scans(project, lambda: nearest("nearest_by_scan", project, agent, deep=3, degrees=12.1)) == 0


def test_an_index_that_was_broken_off_is_not_used_and_begun_anew(
    fresh_db: str, stocked: tuple[Project, Agent, list[int]]
) -> None:
    project, agent, facts = stocked
    wrong = f"CREATE INDEX CONCURRENTLY {INDEX} ON recall_factembedding USING hnsw ((vector::halfvec(7)) halfvec_cosine_ops)"
    with connections["owner"].cursor() as owner:
        with pytest.raises(DataError):
            owner.execute(wrong)
        owner.execute(
            "SELECT indisvalid, has_vector_index(%s) FROM pg_index WHERE indexrelid = %s::regclass", [DIMS, INDEX]
        )
        assert owner.fetchone() == (False, False)
    assert nearest("nearest_of_many", project, agent, deep=1, degrees=12.1) == [facts[12]]
    assert index_vectors(dims=DIMS) is True


def test_where_the_index_comes_back_short_what_may_be_told_is_compared(
    fresh_db: str, stocked: tuple[Project, Agent, list[int]]
) -> None:
    project, agent, facts = stocked
    index_vectors(dims=DIMS)
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_get_functiondef('nearest_of_many'::regproc)")
        (source,) = owner.fetchone()
        # Gives up after one look, as it does among many more facts than these.
        given_up = source.replace("'relaxed_order'", "'off'").replace("'200'", "'1'")
        assert given_up != source
        owner.execute(given_up)
    rare = nearest("nearest_of_many", project, agent, deep=3, degrees=12.1, categories=["rare"])
    assert rare == [facts[10], facts[20], facts[0]]


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_missing_index_is_said_where_a_place_has_many_facts(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    project = make_project()
    for number in range(3):
        make_fact(project, f"Rule {number}.")
    EmbeddingModel.objects.create(name="all-MiniLM-L6-v2-int8", serving=True, dims=DIMS)
    with bind(project.id):
        assert standing().troubles == []
        monkeypatch.setattr(serving, "MANY", 2)
        (trouble,) = standing().troubles
        assert "vectors of 6 numbers have no index" in trouble and "`manage.py embeddings --index` makes it" in trouble
        EmbeddingModel.objects.update(dims=4_096)
        (trouble,) = standing().troubles
        assert "vectors of 4,096 numbers" in trouble and "No index takes more than 4,000 numbers." in trouble
        EmbeddingModel.objects.update(dims=384)
        assert standing().troubles == []
    assert list(doctor.vectors()) == []
