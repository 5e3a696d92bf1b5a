"""Give facts their vectors: a worker that pulls, so that writing a fact waits for no model."""

import random
import time

import structlog
from django.db import connection
from django.db.models import Max, Min

from apps.core.errors import Unavailable
from apps.core.sqlfiles import load
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.inference.calls import CircuitBreaker, call_with_retries
from apps.inference.embeddings import Embedder, embedder, require_dims
from apps.inference.errors import ModelError
from apps.recall.models import FactEmbedding

log = structlog.get_logger(__name__)

NEWEST = 2_000
"""Ids below the newest one in which the frequent run looks: asking about every fact reads the whole index."""
ROUND = 2_000
CHUNK = 32
QUIET_SECONDS = 600

_said: dict[str, float] = {}


def embed_facts(*, newest: int | None = NEWEST, seconds: float = 120) -> int:
    """Embed current facts that have no vector of the chosen model yet; returns how many rows were written.

    Looks among the ``newest`` ids, or at all with None, until nothing is left or ``seconds`` are over. Any number of
    callers at once: what two embed, one writes. Without an embedder, or while its server is away, facts stay as they
    are and one line is logged in ten minutes. No connection is held while the model works.

    Raises EmbeddingMismatch, before anything is embedded for a project, when the model's vectors are not as long as
    those stored under its name.
    """
    model = embedder()
    if model is None:
        return _left("embedder_none")
    end, written = time.monotonic() + seconds, 0
    try:
        _free_connection()
        dims = model.dims
        while chunks := _waiting(model.name, newest):
            before = written
            for project_id, fact_ids in chunks:
                if time.monotonic() >= end:
                    return written
                written += _embed_chunk(model, dims, project_id, fact_ids)
            if written == before:
                break  # others were faster, or these can't be embedded
    except Unavailable as error:
        _left(error.code, model=model.name)
    return written


def _waiting(model: str, newest: int | None) -> list[tuple[int, list[int]]]:
    """Project and ids of facts, a chunk each. In random order, so that workers at once mostly take different ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, fact_id FROM facts_to_embed(%s, %s, %s)", [model, ROUND, newest])
        rows = cursor.fetchall()
    by_project: dict[int, list[int]] = {}
    for project_id, fact_id in rows:
        by_project.setdefault(project_id, []).append(fact_id)
    chunks = [
        (project_id, ids[begin : begin + CHUNK])
        for project_id, ids in by_project.items()
        for begin in range(0, len(ids), CHUNK)
    ]
    random.shuffle(chunks)
    return chunks


def _embed_chunk(model: Embedder, dims: int, project_id: int, fact_ids: list[int]) -> int:
    with bind(project_id):
        stored = FactEmbedding.objects.filter(project_id=project_id, model=model.name)
        for length in stored.aggregate(least=Min("dims"), most=Max("dims")).values():
            if length is not None:
                require_dims(model, length)
        known = stored.filter(fact_id__in=fact_ids).values("fact_id")
        facts = Fact.objects.in_project(project_id).filter(id__in=fact_ids).exclude(id__in=known)
        texts = {fact_id: text for fact_id, text in facts.values_list("id", "content") if normalise(text)}
    if not texts:
        return 0
    _free_connection()
    vectors = _embed(model, texts)
    if not vectors:
        return 0
    with bind(project_id), connection.cursor() as cursor:
        # A fact that was deleted meanwhile is not found, one that was embedded meanwhile has its row.
        cursor.execute(
            load("apps.recall", "insert_embeddings"),
            {
                "project": project_id,
                "model": model.name,
                "dims": dims,
                "facts": list(vectors),
                "vectors": [str(vector) for vector in vectors.values()],
            },
        )
        return cursor.rowcount


def _embed(model: Embedder, texts: dict[int, str]) -> dict[int, list[float]]:
    """The vectors by fact. A text the server refuses leaves the others theirs."""
    breaker = CircuitBreaker(f"embed:{model.name}")

    def ask(some: dict[int, str]) -> dict[int, list[float]]:
        wanted = list(some.values())
        vectors = call_with_retries(lambda _: model.embed(wanted), attempts=1, breaker=breaker)
        return dict(zip(some, vectors, strict=True))

    try:
        return ask(texts)
    except ModelError as error:
        if error.blames_server:
            raise
    found: dict[int, list[float]] = {}
    for fact_id, text in texts.items():
        try:
            found |= ask({fact_id: text})
        except ModelError as error:
            if error.blames_server:
                raise
            _left(error.code, model=model.name)
    return found


def _free_connection() -> None:
    # Back to the server, or to its pooler: a model may take seconds, and connections are few.
    if not connection.in_atomic_block:
        connection.close()


def _left(code: str, **more: str) -> int:
    """Say once in a while why facts stay without a vector."""
    at = time.monotonic()
    if at - _said.get(code, -QUIET_SECONDS) >= QUIET_SECONDS:
        _said[code] = at
        log.warning("facts_not_embedded", code=code, **more)
    return 0
