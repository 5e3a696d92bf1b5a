"""Give facts their vectors: a worker that pulls, so that writing a fact waits for no model."""

import time

from apps.core.errors import Unavailable
from apps.inference.errors import EmbeddingMismatch
from apps.recall.actions.choose_model import choose_model
from apps.recall.embedding import embed_newest, left, note_fault, walk

NEWEST = 2_000
"""Ids below the newest one in which the frequent run looks: asking about every fact reads the whole index."""


def embed_facts(*, newest: int | None = NEWEST, seconds: float = 120) -> int:
    """Embed current facts that have no vector of the serving model, or of the one that is to serve; returns how many
    rows were written.

    Looks among the ``newest`` ids, or at all with None, until nothing is left or ``seconds`` are over. Any number of
    callers at once: what two embed, one writes. Without an embedder, or while its server is away, facts stay as they
    are and one line is logged in ten minutes. No connection is held while the model works.

    Raises EmbeddingMismatch, before anything is embedded for a project, when the model's vectors are not as long as
    those stored under its name; the other model gets its vectors first.
    """
    models = choose_model()
    if not models:
        return left("embedder_none")
    end, written = time.monotonic() + seconds, 0
    mismatch: EmbeddingMismatch | None = None
    for model in models:
        try:
            written += walk(model, 0, end) if newest is None else embed_newest(model, newest, end)
        except Unavailable as error:
            note_fault(model.name, error)
            left(error.code, model=model.name)
        except EmbeddingMismatch as error:
            note_fault(model.name, error)
            mismatch = error
    if mismatch:
        raise mismatch
    return written
