"""Texts to vectors, whatever makes them."""

import os
from typing import Protocol

from django.conf import settings

from apps.core.errors import FieldError, Invalid
from apps.core.text import normalise, storable
from apps.inference.errors import EmbeddingMismatch

MAX_CHARACTERS = 8_000
"""Of each text so much is embedded, in code points; a fact has at most 2,000."""
MINILM = "all-MiniLM-L6-v2-int8"
"""The name of the built-in model."""


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
    return _of(settings.EMBEDDER, _configured(), settings.EMBED_TIMEOUT)


def embedder_named(name: str, *, for_question: bool = False) -> Embedder | None:
    """The embedder of that name among those the settings let this process use: the configured one, the previous one
    (MEMORYPLANE_PREVIOUS_EMBED_MODEL) and the built-in one. None for any other name, and for all with `none`.

    `for_question`: somebody waits, so that a remote one has MEMORYPLANE_QUERY_EMBED_TIMEOUT.
    """
    timeout = min(settings.EMBED_TIMEOUT, settings.QUERY_EMBED_TIMEOUT) if for_question else settings.EMBED_TIMEOUT
    if settings.EMBEDDER == "none":
        return None
    if settings.EMBEDDER == "remote" and name == settings.EMBED_MODEL:
        return _of("remote", _configured(), timeout)
    if name == MINILM:
        return _of("minilm", ("", "", ""), timeout)
    if name == settings.PREVIOUS_EMBED_MODEL:
        previous = (settings.PREVIOUS_EMBED_BASE_URL, settings.PREVIOUS_EMBED_API_KEY, name)
        return _of("remote", previous, timeout)
    return None


def _configured() -> tuple[str, str, str]:
    return settings.EMBED_BASE_URL, settings.EMBED_API_KEY, settings.EMBED_MODEL


def _of(kind: str, server: tuple[str, str, str], timeout: float) -> Embedder | None:
    # One in this process waits for nobody and knows no server: one model in memory is enough.
    chosen = (
        kind,
        settings.EMBED_THREADS,
        *(server if kind == "remote" else ("", "", "")),
        timeout * (kind == "remote"),
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
