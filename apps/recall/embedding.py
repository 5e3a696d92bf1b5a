"""How facts get their vectors, a chunk at a time. No connection is held while a model works."""

import random
import time
from datetime import timedelta

import structlog
from django.db import connection
from django.db.models import Max, Min

from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.core.text import normalise
from apps.core.transactions import bind, unit
from apps.facts.models import Fact
from apps.inference.calls import CircuitBreaker, call_with_retries
from apps.inference.embeddings import Embedder, require_dims
from apps.inference.errors import EmbeddingMismatch, ModelError
from apps.recall.models import EmbeddingModel, FactEmbedding

log = structlog.get_logger(__name__)

ROUND = 2_000
CHUNK = 32
LEASE = timedelta(seconds=60)
COUNT_EVERY = timedelta(seconds=60)
QUIET_SECONDS = 600

_said: dict[str, float] = {}


def embed_newest(model: Embedder, newest: int, end: float) -> int:
    """Embed those of the ``newest`` ids that have no vector, until none is left or ``end`` (time.monotonic); returns
    how many rows were written. Raises EmbeddingMismatch and every `Unavailable`."""
    dims, written = length_of(model), 0
    while chunks := _chunks(_waiting(model.name, newest, 0)):
        before = written
        for project_id, fact_ids in chunks:
            if time.monotonic() >= end:
                return written
            written += _embed_chunk(model, dims, project_id, fact_ids)
        if written == before:
            break  # others were faster, or these can't be embedded
    return written


def walk(model: Embedder, after: int, end: float) -> int:
    """The same over all facts whose id is above ``after``, in their order. Where it has come is written down after
    each round, and each chunk is a transaction: who goes on from there has lost a chunk at most."""
    row = EmbeddingModel.objects.filter(name=model.name)
    dims, written = length_of(model), 0
    while rows := _waiting(model.name, None, after):
        for project_id, fact_ids in _chunks(rows):
            if time.monotonic() >= end:
                _count(model.name)
                return written
            written += _embed_chunk(model, dims, project_id, fact_ids)
            row.filter(walk_until__isnull=False).update(walk_until=now() + LEASE)
        after = rows[-1][1]
        row.update(walk_after=after)
        _count(model.name)
    row.update(walk_after=0, walked_at=now())
    _count(model.name, at_once=True)
    return written


def length_of(model: Embedder) -> int:
    """How long its vectors are; may load a model or ask a server. Raises EmbeddingMismatch unless that is the length of
    those stored under its name, and every `Unavailable`."""
    known = EmbeddingModel.objects.filter(name=model.name).values_list("dims", flat=True).first()
    free_connection()
    dims = model.dims
    if known is not None:
        require_dims(model, known)
    return dims


def note_fault(name: str, error: Exception) -> None:
    """Keep what went wrong with a model where pages and commands can show it. Errors of models repeat no text."""
    fault = getattr(error, "detail", "") or type(error).__name__
    EmbeddingModel.objects.filter(name=name).update(fault=fault[:300], fault_at=now())


def left(code: str, **more: str) -> int:
    """Say once in a while why facts stay without a vector."""
    at = time.monotonic()
    if at - _said.get(code, -QUIET_SECONDS) >= QUIET_SECONDS:
        _said[code] = at
        log.warning("facts_not_embedded", code=code, **more)
    return 0


def free_connection() -> None:
    # Back to the server, or to its pooler: a model may take seconds, and connections are few.
    if not connection.in_atomic_block:
        connection.close()


def _waiting(model: str, newest: int | None, after: int) -> list[tuple[int, int]]:
    """Project and id of facts without a vector, by id; a round of them."""
    with unit(), connection.cursor() as cursor:
        if newest is None:
            # Looks at every fact until it has a round: nothing waits for it, and it may take its time.
            cursor.execute("SELECT set_config('statement_timeout', '240000', true)")
        cursor.execute("SELECT project_id, fact_id FROM facts_to_embed(%s, %s, %s, %s)", [model, ROUND, newest, after])
        rows: list[tuple[int, int]] = cursor.fetchall()
    return rows


def _chunks(rows: list[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    """In random order, so that workers at once mostly take different ones."""
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
    free_connection()
    vectors, refused = _embed(model, texts)
    for vector in vectors.values():
        if len(vector) != dims:
            raise EmbeddingMismatch(model.name, dims, len(vector))
    with bind(project_id), connection.cursor() as cursor:
        row = EmbeddingModel.objects.filter(name=model.name)
        row.exclude(fault=refused).update(fault=refused, fault_at=now())
        if not vectors:
            return 0
        row.filter(dims=None).update(dims=dims)
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


def _embed(model: Embedder, texts: dict[int, str]) -> tuple[dict[int, list[float]], str]:
    """The vectors by fact, and why some have none. A text the server refuses leaves the others theirs."""
    breaker = CircuitBreaker(f"embed:{model.name}")

    def ask(some: dict[int, str]) -> dict[int, list[float]]:
        wanted = list(some.values())
        vectors = call_with_retries(lambda _: model.embed(wanted), attempts=1, breaker=breaker)
        return dict(zip(some, vectors, strict=True))

    try:
        return ask(texts), ""
    except ModelError as error:
        if error.blames_server:
            raise
    found: dict[int, list[float]] = {}
    refused = ""
    for fact_id, text in texts.items():
        try:
            found |= ask({fact_id: text})
        except ModelError as error:
            if error.blames_server:
                raise
            refused = f"Of fact #{fact_id}: {error.detail}"
            left(error.code, model=model.name)
    return found, refused


def _count(name: str, *, at_once: bool = False) -> None:
    """How many current facts have a vector now, at most once in a minute: it looks at all of them."""
    row = EmbeddingModel.objects.get(name=name)
    at = now()
    if row.counted_at and not at_once and at - row.counted_at < COUNT_EVERY:
        return
    with unit(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', '240000', true)")
        cursor.execute("SELECT done, total FROM embedding_coverage(%s)", [name])
        done, of = cursor.fetchone()
        minutes = (at - row.counted_at).total_seconds() / 60 if row.counted_at else 0
        rate = (done - row.done) / minutes if minutes >= 0.05 and done > row.done else None
        EmbeddingModel.objects.filter(name=name).update(done=done, of=of, counted_at=at, per_minute=rate)
