"""The same words from many clients at one moment, and one fact that everybody replaces."""

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest
from django.db import connections

from apps.audit.queries import verify_chain
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.curation.actions.edit_fact import edit_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.factories import make_fact, make_key, make_project, user_actor
from tests.faults.scale import SEED, report, scaled
from tests.live import Live

ADDS = scaled("ADDS", 50, 50)
ADD_ROUNDS = scaled("ADD_ROUNDS", 2, 20)
SUPERSEDES = scaled("SUPERSEDES", 100, 1_000)
THREADS = 16


@pytest.fixture
def project(fresh_db: str) -> Project:
    return make_project("acme")


def chain_of(project: Project, content: str) -> tuple[int, int, bool]:
    """Versions, heads, and whether following each leads to one end without meeting anything twice."""
    with bind(project.id):
        next_of = dict(Fact.objects.filter(content__startswith=content).values_list("id", "superseded_by_id"))
    heads = [number for number, later in next_of.items() if later is None]
    whole = True
    for number in next_of:
        seen = set()
        at: int | None = number
        while at is not None and at not in seen:
            seen.add(at)
            at = next_of[at]
        whole = whole and at is None
    return len(next_of), len(heads), whole


def test_identical_adds_at_a_barrier_are_one_row(project: Project, server: Live) -> None:
    _, key = make_key(project, ["facts:write", "facts:read"], write_mode="direct")
    client = httpx.Client(timeout=60, limits=httpx.Limits(max_connections=ADDS))
    start = Barrier(ADDS)
    statuses: Counter[int] = Counter()
    rows: list[int] = []

    def add(content: str) -> int:
        start.wait(60)
        body = {"scope": "project", "scope_id": "acme", "content": content}
        return client.post(f"{server.url}/v1/facts", json=body, headers={"X-API-Key": key}).status_code

    with ThreadPoolExecutor(ADDS) as pool:
        for turn in range(ADD_ROUNDS):
            content = f"The same words of turn {turn}."
            statuses.update(pool.map(add, [content] * ADDS))
            with bind(project.id):
                rows.append(Fact.objects.filter(content=content).count())
    report(
        "identical adds at a barrier",
        adds=ADDS * ADD_ROUNDS,
        made=statuses[201],
        found=statuses[200],
        rows_each=sorted(set(rows)),
    )
    assert rows == [1] * ADD_ROUNDS
    assert statuses == {201: ADD_ROUNDS, 200: (ADDS - 1) * ADD_ROUNDS}
    with bind(project.id):
        assert verify_chain(project.id).broken_at is None


def parallel(count: int, work: Callable[[int], str]) -> Counter[str]:
    def one(number: int) -> str:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(one, range(count)))


def test_of_all_who_replace_one_version_one_does(project: Project) -> None:
    fact = make_fact(project, "Hot.")
    curator = user_actor(project, "curator")

    def replace(number: int) -> str:
        try:
            statement = Statement(content=f"Hot, said {number}.", scope="project", scope_id="acme")
            edit_fact(actor=curator, project_id=project.id, fact_id=fact.id, statement=statement)
            return "replaced"
        except Conflict as refused:
            return refused.code

    said = parallel(SUPERSEDES, replace)
    versions, heads, whole = chain_of(project, "Hot")
    report("one version replaced by all", asked=SUPERSEDES, replaced=said["replaced"], versions=versions, heads=heads)
    assert said == {"replaced": 1, "fact_moved": SUPERSEDES - 1}
    assert (versions, heads, whole) == (2, 1, True)


@pytest.mark.parametrize("checked", [True, False], ids=["as it is", "control: the version is not locked"])
def test_supersedes_of_one_fact_make_one_line(project: Project, monkeypatch: pytest.MonkeyPatch, checked: bool) -> None:
    make_fact(project, "Hot.")
    curator = user_actor(project, "curator")
    if not checked:
        unlocked: Any = lambda project_id, ids: {  # noqa: E731
            one.id: one for one in Fact.objects.filter(project_id=project_id, id__in=list(ids))
        }
        for module in ("apps.facts.actions.revise_fact", "apps.curation.actions.edit_fact"):
            monkeypatch.setattr(f"{module}.locked_facts", unlocked)

    def replace(number: int) -> str:
        dice = random.Random(SEED * 10_000 + number)
        for turn in range(300 if checked else 20):
            with bind(project.id):
                current = dice.choice(Fact.objects.filter(content__startswith="Hot", superseded_by=None)).id
            statement = Statement(content=f"Hot, said {number}.", scope="project", scope_id="acme")
            try:
                edit_fact(actor=curator, project_id=project.id, fact_id=current, statement=statement)
                return "replaced" if turn == 0 else "replaced after others"
            except Conflict:
                continue
            except Exception as error:
                return type(error).__name__
        return "never"

    said = parallel(SUPERSEDES, replace)
    versions, heads, whole = chain_of(project, "Hot")
    report(
        "one fact replaced again and again" if checked else "one fact replaced again and again (control: no lock)",
        asked=SUPERSEDES,
        said=dict(said),
        versions=versions,
        heads=heads,
        cycles=int(not whole),
    )
    if checked:
        assert sum(said[name] for name in ("replaced", "replaced after others")) == SUPERSEDES
        assert (versions, heads, whole) == (SUPERSEDES + 1, 1, True)
        with bind(project.id):
            assert verify_chain(project.id).broken_at is None
    else:
        assert (versions, heads, whole) != (SUPERSEDES + 1, 1, True) or set(said) - {
            "replaced",
            "replaced after others",
        }
