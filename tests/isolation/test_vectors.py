"""One index holds the vectors of all projects: whoever asks as the application finds his own nearest, however crowded by
another project's the place is."""

import math
import random

from apps.core.transactions import bind
from apps.recall.actions.index_vectors import index_vectors
from apps.recall.models import FactEmbedding
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project
from tests.faults.scale import report
from tests.recall.test_vector_index import DIMS, index_scans, nearest

MINE, CROWD, DEEP, QUESTIONS = 60, 500, 10, 40


def on_circle(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), *[0.0] * (DIMS - 2)]


def stocked(project: Project, name: str, places: list[float]) -> dict[int, float]:
    """Facts of the agent with a vector each; by id, where it points."""
    agent = make_agent(project, name)
    found = {make_fact(project, f"Rule {n} of {name}.", agent=agent).id: place for n, place in enumerate(places)}
    with bind(project.id):
        FactEmbedding.objects.bulk_create(
            FactEmbedding(project_id=project.id, fact_id=fact, model="by-hand", dims=DIMS, vector=on_circle(place))
            for fact, place in found.items()
        )
    return found


def test_the_nearest_are_found_among_another_projects_nearer_ones(fresh_db: str) -> None:
    chance = random.Random(4)
    mine, crowd = make_project("mine"), make_project("crowd")
    own = stocked(mine, "support", [chance.uniform(0, 90) for _ in range(MINE)])
    theirs = stocked(crowd, "support", [chance.uniform(0, 90) for _ in range(CROWD)])
    assert index_vectors(dims=DIMS) is True
    agent = make_agent(mine, "support")
    found = foreign = by_index = 0
    for _ in range(QUESTIONS):
        asked = chance.uniform(0, 90)
        exact = sorted(own, key=lambda fact: abs(own[fact] - asked))[:DEEP]
        got: list[int] = []
        by_index += index_scans(mine, lambda: got.extend(nearest("nearest_of_many", mine, agent, deep=DEEP, degrees=asked)))  # noqa: B023  # fmt: skip
        found += len(set(exact) & set(got[:DEEP]))
        foreign += len(set(got) & set(theirs))
    report(
        "vectors under row security",
        found=f"{found} of {QUESTIONS * DEEP} of the exact",
        by_index=by_index,
        foreign=foreign,
    )
    assert (found, foreign) == (QUESTIONS * DEEP, 0)
