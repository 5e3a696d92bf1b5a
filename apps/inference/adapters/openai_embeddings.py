"""Embeddings of any OpenAI-compatible server."""

import math
from functools import cached_property
from typing import Any

from apps.core.errors import DomainError
from apps.core.strict_json import lenient_loads
from apps.inference.adapters.openai_http import Refused, ask, client
from apps.inference.embeddings import prepared
from apps.inference.errors import EmbeddingMismatch, ModelAnswerInvalid, ModelUnavailable

BATCH = 64
MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""64 vectors of 4,096 dimensions, each number in 25 characters, are 6 MB."""


class OpenAIEmbedder:
    """An `Embedder` whose `dims` are asked of the server once, by embedding a word. `timeout` is for each request
    of up to 64 texts, in seconds. `name` is the model's, whichever server runs it."""

    def __init__(self, base_url: str, api_key: str, model: str, *, timeout: float) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self.name = model

    @cached_property
    def dims(self) -> int:
        return len(self._ask(["dimensions"])[0])

    def embed(self, texts: list[str]) -> list[list[float]]:
        texts, vectors = prepared(texts), []
        for begin in range(0, len(texts), BATCH):
            for vector in self._ask(texts[begin : begin + BATCH]):
                if len(vector) != self.dims:
                    raise EmbeddingMismatch(self.name, self.dims, len(vector))
                vectors.append(vector)
        return vectors

    def _ask(self, texts: list[str]) -> list[list[float]]:
        create = client(self._base_url, self._api_key).embeddings.with_streaming_response.create
        body = {"model": self.name, "input": texts, "encoding_format": "float"}
        try:
            answer = ask(create, body, api_key=self._api_key, seconds=self._timeout, max_bytes=MAX_ANSWER_BYTES)
        except Refused as refusal:
            raise ModelUnavailable(refusal.status) from None
        try:
            envelope = lenient_loads(answer, max_bytes=MAX_ANSWER_BYTES, max_depth=8)
        except DomainError:
            raise ModelAnswerInvalid("not_json") from None
        vectors = _vectors(envelope, len(texts))
        if vectors is None:
            raise ModelAnswerInvalid("wrong_shape")
        return vectors


def _vectors(envelope: Any, count: int) -> list[list[float]] | None:
    """One unit vector a text, in the order of the texts; None if the answer holds anything else."""
    data = envelope.get("data") if isinstance(envelope, dict) else None
    if not isinstance(data, list) or len(data) != count or not all(isinstance(item, dict) for item in data):
        return None
    vectors: list[list[float]] = [[]] * count
    for place, item in enumerate(data):
        index, vector = item.get("index", place), _unit(item.get("embedding"))
        if type(index) is not int or not 0 <= index < count or vector is None:
            return None
        vectors[index] = vector
    return vectors if all(vectors) else None


def _unit(vector: Any) -> list[float] | None:
    if not isinstance(vector, list) or not all(type(number) in {int, float} for number in vector):
        return None
    length = math.hypot(*vector)
    return [number / length for number in vector] if math.isfinite(length) and length > 0 else None
