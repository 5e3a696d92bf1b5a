"""Where a scan would cost too much: the same candidates by indexes, and the same permissions."""

import math
from typing import Any

import pytest
from django.db import connection

from apps.core.transactions import bind
from apps.recall.models import FactEmbedding
from apps.tenancy.models import Agent, Project
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db
DIMS = 384


def vector(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), *[0.0] * (DIMS - 2)]


def candidates(path: str, project: Project, agent: Agent, *, deep: int, words: str | None, at: float) -> set[int]:
    reader = "ROW(%s, NULL, %s, %s, %s, NULL, NULL, ARRAY['internal'], NULL, NULL, NULL, '', NULL, NULL, now(), false)::recall_reader"
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT pool FROM {path}({reader}, 3, %s, question_terms(%s, 'english'), NULL, %s::halfvec, 'by-hand')",
            [project.id, agent.id, agent.name, project.slug, deep, words, str(vector(at))],
        )
        return set(cursor.fetchone()[0])


@pytest.fixture
def stocked() -> tuple[Project, Agent, list[int]]:
    """90 facts, one a degree; every tenth may not be told, and as many of another agent stand between them."""
    project = make_project()
    agent, other = make_agent(project, "support"), make_agent(project, "orders")
    rows: list[Any] = []
    for degree in range(90):
        marks: dict[str, Any] = {"sensitivity": "special"} if degree % 10 == 0 else {}
        mine = make_fact(project, f"Rule {degree} of the house.", agent=agent, importance=degree / 100, **marks)
        foreign = make_fact(project, f"Rule {degree} of the shop.", agent=other)
        rows += [(mine.id, degree), (foreign.id, degree + 0.1)]
    with bind(project.id):
        FactEmbedding.objects.bulk_create(
            FactEmbedding(project_id=project.id, fact_id=fact, model="by-hand", dims=DIMS, vector=vector(degree))
            for fact, degree in rows
        )
    return project, agent, [fact for fact, _ in rows[::2]]


def test_both_paths_find_the_nearest_the_most_important_and_nothing_forbidden(
    stocked: tuple[Project, Agent, list[int]],
) -> None:
    project, agent, facts = stocked
    nearest = {facts[degree] for degree in (41, 42, 43, 44, 45)}
    weighty = {facts[degree] for degree in (89, 88, 87)}
    few = candidates("candidates_of_few", project, agent, deep=5, words=None, at=43)
    many = candidates("candidates_of_many", project, agent, deep=5, words=None, at=43)
    assert few == many == nearest | weighty


def test_words_are_found_by_their_index_too(stocked: tuple[Project, Agent, list[int]]) -> None:
    project, agent, facts = stocked
    for path in ("candidates_of_few", "candidates_of_many"):
        assert facts[17] in candidates(path, project, agent, deep=1, words="What is rule 17?", at=80)


def test_what_was_forced_for_one_statement_is_let_go(stocked: tuple[Project, Agent, list[int]]) -> None:
    project, agent, _ = stocked
    candidates("candidates_of_many", project, agent, deep=5, words="rule", at=43)
    with connection.cursor() as cursor:
        for name in ("enable_sort", "enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"):
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == ("on",), name
        cursor.execute("SHOW gin_fuzzy_search_limit")
        assert cursor.fetchone() == ("0",)
