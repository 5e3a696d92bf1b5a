"""Vectors of facts: filled by workers that pull, with nothing held while a model works."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.cache import cache
from django.db import connection
from pytest_django import Settings

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.inference.errors import EmbeddingMismatch
from apps.privacy.actions.forget_fact import forget_fact
from apps.recall import embedding as verb
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.models import FactEmbedding
from apps.tenancy.models import Project
from memoryplane.celery import app
from tests import model_server as script
from tests.factories import make_fact, make_project, user_actor
from tests.live import Live
from tests.logged import told
from tests.model_server import ModelServer, Reply, Request
from tests.servers import database_urls

MODEL = "all-MiniLM-L6-v2-int8"


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A scripted embedding server, chosen by the settings."""
    monkeypatch.setattr(verb, "_said", {})
    with ModelServer() as server:
        settings.EMBEDDER, settings.EMBED_BASE_URL, settings.EMBED_MODEL = "remote", server.url, "scripted-embed"
        cache.clear()
        yield server
    cache.clear()


def vectors(project: Project) -> dict[str, tuple[int | None, str, int]]:
    """By content: subject, model and length of each row."""
    with bind(project.id):
        rows = FactEmbedding.objects.select_related("fact")
        return {row.fact.content: (row.subject_id, row.model, row.dims) for row in rows}


def until(holds: Callable[[], bool], seconds: float, live: Live) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, live.said()
        time.sleep(0.5)


@pytest.mark.django_db
def test_current_facts_of_every_project_get_one_row_each() -> None:
    first, second = make_project("acme"), make_project("globex")
    fact = make_fact(first, "Lives in Lisbon.", user="ada")
    make_fact(first, "Returns take 45 days.")
    make_fact(second, "Returns take 30 days.")
    make_fact(first, "Gone.", retired="stale")
    make_fact(first, "Held back.", restricted="hold")
    assert embed_facts() == 3
    assert embed_facts() == 0
    assert vectors(first) == {
        "Lives in Lisbon.": (fact.subject_id, MODEL, 384),
        "Returns take 45 days.": (None, MODEL, 384),
    }
    assert vectors(second) == {"Returns take 30 days.": (None, MODEL, 384)}


@pytest.mark.django_db
def test_the_frequent_run_looks_at_the_newest_and_the_other_at_all() -> None:
    project = make_project()
    for number in range(4):
        make_fact(project, f"Rule {number}.")
    assert embed_facts(newest=2) == 2
    assert set(vectors(project)) == {"Rule 2.", "Rule 3."}
    assert embed_facts(newest=None) == 2
    assert len(vectors(project)) == 4


@pytest.mark.django_db
def test_another_model_adds_rows_and_the_old_ones_stay(server: ModelServer, settings: Settings) -> None:
    project = make_project()
    make_fact(project, "Returns take 45 days.")
    settings.EMBEDDER = "minilm"
    assert embed_facts() == 1
    settings.EMBEDDER = "remote"
    assert embed_facts() == 1
    with bind(project.id):
        assert set(FactEmbedding.objects.values_list("model", flat=True)) == {MODEL, "scripted-embed"}


@pytest.mark.django_db
def test_other_dimensions_under_one_name_are_an_error_with_both_numbers(server: ModelServer) -> None:
    project = make_project()
    make_fact(project, "Returns take 45 days.")
    with bind(project.id):
        FactEmbedding.objects.create(
            project_id=project.id, fact=Fact.objects.get(), model="scripted-embed", dims=3, vector=[1.0, 0.0, 0.0]
        )
    make_fact(project, "Shops open at nine.")
    with pytest.raises(EmbeddingMismatch) as refused:
        embed_facts()
    assert refused.value.code == "embedding_dims_mismatch"
    assert refused.value.expected == 3 and refused.value.found != 3
    assert {str(refused.value.expected), str(refused.value.found)} <= set(str(refused.value).split())
    assert set(vectors(project)) == {"Returns take 45 days."}


@pytest.mark.django_db
def test_without_an_embedder_facts_stay_and_one_line_says_so(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(verb, "_said", {})
    settings.EMBEDDER = "none"
    project = make_project()
    for number in range(5):
        make_fact(project, f"Rule {number}.")
    assert [embed_facts(), embed_facts()] == [0, 0]
    assert [(line["event"], line["code"]) for line in told(caplog)] == [("facts_not_embedded", "embedder_none")]
    assert vectors(project) == {}


@pytest.mark.django_db
def test_a_server_that_is_away_is_said_once_and_made_up_for(
    server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    project = make_project()
    for number in range(5):
        make_fact(project, f"Rule {number}.")
    server.script([script.http(503)])
    assert [embed_facts(), embed_facts()] == [0, 0]
    assert [line["code"] for line in told(caplog) if line["event"] == "facts_not_embedded"] == ["model_unavailable"]
    assert vectors(project) == {}
    server.script(script.hashed_vectors)
    assert embed_facts() == 5


@pytest.mark.django_db
def test_one_text_the_server_refuses_does_not_keep_the_others(server: ModelServer) -> None:
    project = make_project()
    for content in ("Rule one.", "Poison.", "Rule two."):
        make_fact(project, content)

    def answer(request: Request) -> Reply:
        return script.http(400) if "Poison." in request.body["input"] else script.hashed_vectors(request)

    server.script(answer)
    assert embed_facts() == 2
    assert set(vectors(project)) == {"Rule one.", "Rule two."}


def test_no_connection_is_held_during_the_model_call(fresh_db: str, server: ModelServer) -> None:
    project = make_project()
    make_fact(project, "Returns take 45 days.")
    held: list[int] = []

    def answer(request: Request) -> Reply:
        with psycopg.connect(database_urls(fresh_db)["DATABASE_URL"]) as owner:
            (count,) = owner.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'",
                [fresh_db],
            ).fetchone() or (None,)
        held.append(count)
        return script.hashed_vectors(request)

    server.script(answer)
    assert embed_facts() == 1
    assert held == [0, 0]  # the question for the length, and the text


def test_a_fact_that_is_forgotten_meanwhile_gets_nothing(fresh_db: str, server: ModelServer) -> None:
    project = make_project()
    kept, gone = make_fact(project, "Returns take 45 days."), make_fact(project, "Ada left in May.")
    curator = user_actor(project, "curator")

    def answer(request: Request) -> Reply:
        if gone.content in request.body["input"]:
            forget_fact(actor=curator, project_id=project.id, fact_id=gone.id)
            connection.close()
        return script.hashed_vectors(request)

    server.script(answer)
    assert embed_facts() == 1
    assert set(vectors(project)) == {kept.content}


def test_forgetting_takes_the_vector_along(fresh_db: str) -> None:
    project = make_project()
    fact = make_fact(project, "Returns take 45 days.")
    assert embed_facts() == 1
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id)
    with bind(project.id):
        assert FactEmbedding.objects.count() == 0


def test_many_workers_at_once_write_each_row_once(fresh_db: str) -> None:
    project = make_project()
    for number in range(80):
        make_fact(project, f"Shelf {number} holds spare parts.")
    connection.close()

    def work(_: int) -> int:
        try:
            return embed_facts()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(work, range(4)))
    assert sum(written) == 80
    assert len(vectors(project)) == 80


def test_a_running_worker_does_it_by_itself(fresh_db: str, worker: Callable[..., Live]) -> None:
    project = make_project()
    make_fact(project, "Returns take 45 days.")
    live = worker()
    until(lambda: len(vectors(project)) == 1, 60, live)
    assert "facts_not_embedded" not in live.said() and "Traceback" not in live.said()


def test_the_clock_starts_it() -> None:
    due = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert due["recall.embed"] <= 5
    assert due["recall.embed_all"] <= 900
    app.loader.import_default_modules()
    assert {"recall.embed", "recall.embed_all"} <= set(app.tasks)
