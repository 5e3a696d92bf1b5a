"""Another embedder: the one before answers until the new one has embedded the facts, and nothing is lost between."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from pytest_django import Settings

from apps.core.clock import now
from apps.core.transactions import bind
from apps.inference.errors import EmbeddingMismatch
from apps.recall import embedding
from apps.recall.actions import drop_vectors as dropping
from apps.recall.actions.choose_model import choose_model
from apps.recall.actions.drop_vectors import drop_vectors
from apps.recall.actions.embed_facts import embed_facts
from apps.recall.actions.walk_facts import walk_facts
from apps.recall.embedding import CHUNK
from apps.recall.models import EmbeddingModel, FactEmbedding
from apps.recall.queries import Reader, told_facts
from apps.recall.question import question_of
from apps.recall.serving import forget_kept, standing
from apps.tenancy.models import Project
from memoryplane.management.commands import doctor
from tests import model_server as script
from tests.factories import make_agent, make_fact, make_project
from tests.model_server import ModelServer, Reply, Request
from tests.servers import ROOT, database_urls

MINILM = "all-MiniLM-L6-v2-int8"
NEW = "scripted-new"


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """The server of the new model; `change` has the settings name it."""
    with ModelServer() as server:
        settings.EMBED_BASE_URL, settings.EMBED_MODEL = server.url, NEW
        cache.clear()
        yield server
    cache.clear()


def change(settings: Settings) -> None:
    settings.EMBEDDER = "remote"
    forget_kept()


def counts(project: Project) -> dict[str, int]:
    with bind(project.id):
        return dict(Counter(FactEmbedding.objects.values_list("model", flat=True)))


def serving() -> str:
    return EmbeddingModel.objects.get(serving=True).name


def asked_by(project: Project, text: str) -> tuple[str, int, str]:
    """Whose vector a question gets, how long it is, and what the answer says of it."""
    forget_kept()
    question = question_of(project.id, text)
    return question.model, len(question.vector or []), question.degraded


def absent(*names: str) -> None:
    EmbeddingModel.objects.filter(name__in=names).update(seen_at=now() - timedelta(minutes=11))


def stocked(project: Project, count: int) -> None:
    for number in range(count):
        make_fact(project, f"Shelf {number} holds spare parts.")


@pytest.mark.django_db
def test_the_first_embedder_serves_at_once(project: Project) -> None:
    stocked(project, 2)
    assert asked_by(project, "shelf one?") == (MINILM, 384, "")
    assert embed_facts() == 2
    row = EmbeddingModel.objects.get()
    assert (row.name, row.serving, row.dims, row.fault) == (MINILM, True, 384, "")


@pytest.mark.django_db
def test_the_old_one_answers_until_the_new_one_has_embedded_every_fact(
    project: Project, server: ModelServer, settings: Settings
) -> None:
    stocked(project, 70)
    embed_facts()
    change(settings)
    # No second passes between: the walk is broken off at once, and the facts of the last while get both.
    assert walk_facts(seconds=0) == 0
    make_fact(project, "Shops open at nine.")
    assert embed_facts(newest=1) == 2
    assert counts(project) == {MINILM: 71, NEW: 1}
    assert (serving(), asked_by(project, "which shelf?")) == (MINILM, (MINILM, 384, ""))
    assert standing().changing
    assert walk_facts(seconds=60) == 70
    # It takes over at the next look, by itself.
    assert serving() == MINILM
    embed_facts(newest=1)
    assert (serving(), asked_by(project, "which shelf now?")) == (NEW, (NEW, 8, ""))
    assert counts(project) == {MINILM: 71, NEW: 71}
    row = EmbeddingModel.objects.get(name=NEW)
    assert (row.done, row.of, row.walk_after, row.dims) == (71, 71, 0, 8)


@pytest.mark.django_db
def test_old_vectors_go_in_batches_once_nobody_reads_them(
    project: Project, server: ModelServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropping, "BATCH", 2)
    stocked(project, 5)
    embed_facts()
    change(settings)
    embed_facts(newest=None)
    assert drop_vectors() == 0  # it still serves
    embed_facts()
    assert serving() == NEW
    assert drop_vectors() == 0  # a read may have begun before
    EmbeddingModel.objects.filter(name=NEW).update(serving_since=now() - timedelta(minutes=2))
    assert drop_vectors() == 0  # a worker with the old settings was seen a moment ago
    absent(MINILM)
    assert drop_vectors(seconds=0) == 2
    assert counts(project) == {MINILM: 3, NEW: 5}
    assert drop_vectors() == 3
    assert counts(project) == {NEW: 5}
    assert [row.name for row in EmbeddingModel.objects.all()] == [NEW]
    assert drop_vectors() == 0


@pytest.mark.django_db
def test_a_previous_remote_model_is_asked_at_its_own_server(
    project: Project, server: ModelServer, settings: Settings
) -> None:
    stocked(project, 3)
    with ModelServer() as before:
        before.script(lambda request: script.hashed_vectors(request, 5))
        settings.EMBEDDER, settings.EMBED_BASE_URL, settings.EMBED_MODEL = "remote", before.url, "scripted-before"
        embed_facts()
        settings.EMBED_BASE_URL, settings.EMBED_MODEL = server.url, NEW
        # Unless the settings say where it is, the new one answers with what it has, and somebody is told.
        assert asked_by(project, "shelf two?") == (NEW, 8, "")
        choose_model()
        (trouble,) = standing().troubles
        assert trouble.startswith("Facts have vectors of scripted-before, and these settings don't reach it")
        settings.PREVIOUS_EMBED_MODEL, settings.PREVIOUS_EMBED_BASE_URL = "scripted-before", before.url
        assert standing().troubles == []
        heard = len(server.requests)
        assert asked_by(project, "shelf three?") == ("scripted-before", 5, "")
        assert len(server.requests) == heard


@pytest.mark.django_db
def test_a_walk_that_broke_off_goes_on_where_it_was(
    project: Project, server: ModelServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "ROUND", CHUNK)
    stocked(project, 3 * CHUNK)
    change(settings)
    texts: list[str] = []

    def answer(request: Request) -> Reply:
        if len(texts) >= 2 * CHUNK + 1:
            return script.http(503)
        texts.extend(request.body["input"])
        return script.hashed_vectors(request)

    server.script(answer)
    walk_facts(seconds=60)
    row = EmbeddingModel.objects.get()
    with bind(project.id):
        ids = sorted(FactEmbedding.objects.values_list("fact_id", flat=True))
    assert (len(ids), row.walk_after, row.walk_until, row.walked_at) == (2 * CHUNK, ids[-1], None, None)
    assert row.fault == "The model's server answered with HTTP status 503."
    server.script(script.hashed_vectors)
    cache.clear()
    before = len(server.requests)
    assert walk_facts(seconds=60) == CHUNK
    assert [len(request.body["input"]) for request in server.requests[before:]] == [CHUNK]
    row.refresh_from_db()
    assert (row.fault, row.done, row.of, row.walk_after) == ("", 3 * CHUNK, 3 * CHUNK, 0)
    assert row.walked_at is not None
    # A walk that has ended is not begun anew for a while, unless somebody asks for it.
    make_fact(project, "Shops open at nine.")
    assert walk_facts() == 0
    assert walk_facts(since=now()) == 1


def test_killing_a_worker_loses_a_batch_at_most(fresh_db: str, server: ModelServer, settings: Settings) -> None:
    project = make_project()
    stocked(project, 6 * CHUNK)
    texts: list[str] = []

    def answer(request: Request) -> Reply:
        texts.extend(request.body["input"])
        return script.delayed(0.3 if len(request.body["input"]) > 1 else 0, script.hashed_vectors(request))

    server.script(answer)
    environment = {"MEMORYPLANE_EMBEDDER": "remote", "MEMORYPLANE_EMBED_BASE_URL": server.url}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "embeddings", "--now"],
        cwd=ROOT,
        env={**os.environ, **database_urls(fresh_db), **environment, "MEMORYPLANE_EMBED_MODEL": NEW},
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 30
        while len(texts) < 3 * CHUNK:
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = counts(project)[NEW]
    assert kept >= 2 * CHUNK
    change(settings)
    assert walk_facts() == 0  # the dead one's lease
    EmbeddingModel.objects.update(walk_until=now() - timedelta(seconds=1))
    assert walk_facts(seconds=60) == 6 * CHUNK - kept
    asked = Counter(text for text in texts if text.startswith("Shelf"))
    assert len(asked) == 6 * CHUNK and sum(asked.values()) <= 6 * CHUNK + CHUNK


def test_a_model_that_refuses_too_many_texts_does_not_take_over_by_itself(
    fresh_db: str, project: Project, server: ModelServer, settings: Settings
) -> None:
    stocked(project, 9)
    poison = make_fact(project, "Poison.")
    embed_facts()
    change(settings)

    def answer(request: Request) -> Reply:
        return script.http(400) if "Poison." in request.body["input"] else script.hashed_vectors(request)

    server.script(answer)
    assert embed_facts(newest=None) == 9
    embed_facts()
    assert serving() == MINILM
    assert standing().troubles == [f"{NEW}: Of fact #{poison.id}: The model's server answered with HTTP status 400."]
    call_command("embeddings", "--serve", stdout=StringIO())
    assert serving() == NEW


@pytest.mark.django_db
def test_a_process_with_older_settings_helps_and_does_not_undo(
    project: Project, server: ModelServer, settings: Settings
) -> None:
    stocked(project, 3)
    embed_facts()
    change(settings)
    embed_facts(newest=None)
    embed_facts()
    assert serving() == NEW
    settings.EMBEDDER = "minilm"
    make_fact(project, "Shops open at nine.")
    assert [model.name for model in choose_model()] == []
    assert (walk_facts(since=now()), serving(), counts(project)) == (0, NEW, {MINILM: 3, NEW: 3})
    # Only when nobody names the newer one any more, the older is the choice again.
    absent(NEW)
    assert [model.name for model in choose_model()] == [MINILM]
    EmbeddingModel.objects.filter(name=MINILM).update(chosen_at=now())
    assert walk_facts(seconds=60) == 1
    choose_model()
    assert serving() == MINILM


def test_another_length_is_an_error_with_both_numbers_everywhere(
    fresh_db: str, project: Project, server: ModelServer, settings: Settings
) -> None:
    stocked(project, 2)
    change(settings)
    embed_facts()
    server.script(lambda request: script.hashed_vectors(request, 6))
    settings.EMBED_TIMEOUT = 9.0  # another client, that has not asked for the length yet
    make_fact(project, "Shops open at nine.")
    for work in (embed_facts, walk_facts):
        with pytest.raises(EmbeddingMismatch) as refused:
            work()
        assert (refused.value.expected, refused.value.found) == (8, 6)
    said = f"{NEW}: The embedder {NEW} gives vectors of 6 dimensions, and 8 are expected."
    assert standing().troubles == [said]
    settings.QUERY_EMBED_TIMEOUT = 1.5
    assert asked_by(project, "open at nine?") == (NEW, 0, "embedding_dims_mismatch")
    reader = Reader(project_id=project.id, key_id=None, agent="support", sensitivities=["internal"])
    told = json.loads(told_facts(reader, question_of(project.id, "open at nine?"), limit=1) or b"")
    assert (told["facts"][0]["content"], told["degraded"]) == ("Shops open at nine.", "embedding_dims_mismatch")
    assert counts(project) == {NEW: 2}
    # The way out, where the new length is meant: begin anew under the same name.
    out = StringIO()
    call_command("embeddings", "--forget", NEW, stdout=out)
    assert out.getvalue().startswith(f"2 vectors of {NEW} deleted.\n")
    assert embed_facts() == 3
    assert standing().troubles == []


@pytest.mark.django_db(databases=["default", "owner"])
def test_doctor_and_the_command_say_how_it_stands(server: ModelServer, settings: Settings) -> None:
    change(settings)
    with pytest.raises(CommandError) as unknown:
        call_command("embeddings", "--forget", "nobody", stdout=StringIO())
    assert str(unknown.value) == "No vectors are known of a model nobody."
    assert list(doctor.vectors()) == []


def test_the_command_embeds_and_shows(fresh_db: str, server: ModelServer, settings: Settings) -> None:
    project = make_project()
    stocked(project, 4)
    embed_facts()
    change(settings)
    out = StringIO()
    call_command("embeddings", "--now", stdout=out)
    counted = dict(EmbeddingModel.objects.values_list("name", "counted_at"))
    assert out.getvalue().splitlines()[-2:] == [
        f"{MINILM}: not in use; its vectors are deleted ten minutes after the last worker named it;"
        f" 4 of 4 facts (100.0 %), 384 numbers each, counted {counted[MINILM]:%H:%M} UTC",
        f"{NEW}: answers questions; 4 of 4 facts (100.0 %), 8 numbers each, counted {counted[NEW]:%H:%M} UTC",
    ]
    EmbeddingModel.objects.filter(name=NEW).update(fault="Away.", fault_at=now())
    assert list(doctor.vectors()) == [f"{NEW}: Away."]
    settings.EMBEDDER = "none"
    for option in ("--now", "--serve"):
        with pytest.raises(CommandError, match="MEMORYPLANE_EMBEDDER is none"):
            call_command("embeddings", option, stdout=StringIO())
