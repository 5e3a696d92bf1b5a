"""Texts to vectors, whatever makes them."""

import os
from typing import Protocol

from django.conf import settings

from apps.core.errors import FieldError, Invalid
from apps.core.text import normalise, storable
from apps.inference.errors import EmbeddingMismatch

MAX_CHARACTERS = 8_000
"""Of each text so much is embedded, in code points; a fact has at most 2,000."""


class Embedder(Protocol):
    """`name` stands with every stored vector, `dims` is their length. The first look at `dims` or the first text
    may load a model or ask a server."""

    @property
    def name(self) -> str: ...

    @property
    def dims(self) -> int: ...

    def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector of length 1 a text, in order; equal texts get equal vectors, whatever is beside them.

        Raises Invalid `blank_text` (one error a text with nothing in it to see, before anything is asked),
        EmbeddingMismatch, and for a remote model every `ModelError`.
        """
        ...


def embedder() -> Embedder | None:
    """The embedder of MEMORYPLANE_EMBEDDER, one a process; None for `none`. Makes it, loads and asks nothing."""
    return _of(settings.EMBED_TIMEOUT)


def query_embedder() -> Embedder | None:
    """The same for a question that somebody waits for: a remote one has MEMORYPLANE_QUERY_EMBED_TIMEOUT."""
    return _of(min(settings.EMBED_TIMEOUT, settings.QUERY_EMBED_TIMEOUT))


def _of(timeout: float) -> Embedder | None:
    chosen = (
        settings.EMBEDDER,
        settings.EMBED_THREADS,
        settings.EMBED_BASE_URL,
        settings.EMBED_API_KEY,
        settings.EMBED_MODEL,
        # One in this process waits for nobody: one model in memory is enough.
        timeout if settings.EMBEDDER == "remote" else settings.EMBED_TIMEOUT,
    )
    if chosen not in _of_this_process:
        _of_this_process.setdefault(chosen, _made(*chosen))
    return _of_this_process[chosen]


def require_dims(embedder: Embedder, stored: int) -> None:
    """Raises EmbeddingMismatch unless new vectors are as long as those stored under the embedder's name."""
    if embedder.dims != stored:
        raise EmbeddingMismatch(embedder.name, stored, embedder.dims)


def prepared(texts: list[str]) -> list[str]:
    """For adapters: `texts` cut to size, without what no encoder takes. Raises Invalid `blank_text`."""
    cut = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
    blank = [
        FieldError("blank_text", "May not be blank.", f"/{place}")
        for place, text in enumerate(cut)
        if not normalise(text)
    ]
    if blank:
        raise Invalid("blank_text", "A text to embed is blank.", errors=blank)
    return cut


def _made(kind: str, threads: int, base_url: str, api_key: str, model: str, timeout: float) -> Embedder | None:
    # Imported here: their libraries take half a second, and a process that embeds nothing never pays it.
    if kind == "minilm":
        from apps.inference.adapters.minilm import MiniLM

        return MiniLM(threads)
    if kind == "remote":
        from apps.inference.adapters.openai_embeddings import OpenAIEmbedder

        return OpenAIEmbedder(base_url, api_key, model, timeout=timeout)
    return None


_of_this_process: dict[tuple[str, int, str, str, str, float], Embedder | None] = {}
_of_parents: list[object] = []


def _begin_anew() -> None:
    """A model's threads do not live on in a forked child, which makes its own. The parent's is kept: to end it
    would wait for those threads for ever."""
    _of_parents.append(dict(_of_this_process))
    _of_this_process.clear()


os.register_at_fork(after_in_child=_begin_anew)
