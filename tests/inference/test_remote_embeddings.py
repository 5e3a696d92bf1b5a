"""Embeddings of a server, and which embedder the settings choose."""

import math
import os
import subprocess
import sys
from typing import Any

import pytest
from pytest_django import Settings

from apps.core.errors import Invalid
from apps.inference.adapters.minilm import MiniLM
from apps.inference.adapters.openai_embeddings import OpenAIEmbedder
from apps.inference.calls import call_with_retries
from apps.inference.embeddings import MAX_CHARACTERS, embedder
from apps.inference.errors import EmbeddingMismatch, ModelAnswerInvalid, ModelError, ModelTimeout, ModelUnavailable
from tests import model_server as script
from tests.model_server import ModelServer, Reply
from tests.servers import ROOT


@pytest.fixture
def remote(models: ModelServer) -> OpenAIEmbedder:
    return OpenAIEmbedder(models.url, "sk-test", "scripted-embed", timeout=5)


def test_texts_become_unit_vectors_in_their_order(remote: OpenAIEmbedder, models: ModelServer) -> None:
    models.script(lambda request: script.vectors([[3.0, float(len(t))] for t in request.body["input"]], backwards=True))
    vectors = remote.embed(["four", "a", "我"])
    assert [round(vector[1] / vector[0] * 3) for vector in vectors] == [4, 1, 1]
    assert all(abs(math.hypot(*vector) - 1) < 1e-9 for vector in vectors)
    assert (remote.dims, remote.name) == (2, "scripted-embed")
    # Its texts, and the probe; then no probe any more.
    assert [request.path for request in models.requests] == ["/v1/embeddings"] * 2
    assert models.requests[0].body == {
        "model": "scripted-embed", "input": ["four", "a", "我"], "encoding_format": "float",
    }  # fmt: skip
    remote.embed(["b"])
    assert len(models.requests) == 3


def test_a_batch_is_the_same_as_one_by_one_and_asked_in_pieces(remote: OpenAIEmbedder, models: ModelServer) -> None:
    texts = [f"text number {n}" for n in range(150)]
    together = remote.embed(texts)
    sizes = sorted(len(request.body["input"]) for request in models.requests)
    assert sizes == [1, 22, 64, 64]
    assert together[::50] == [remote.embed([text])[0] for text in texts[::50]]


def test_nothing_is_asked_for_no_text_or_a_blank_one(remote: OpenAIEmbedder, models: ModelServer) -> None:
    assert remote.embed([]) == []
    with pytest.raises(Invalid) as caught:
        remote.embed(["tea", " "])
    assert caught.value.code == "blank_text"
    assert models.requests == []


def test_long_and_broken_texts_are_made_fit(remote: OpenAIEmbedder, models: ModelServer) -> None:
    remote.embed(["x" * 1_000_000, "half \ud83d 😀"])
    long, broken = models.requests[0].body["input"]
    assert (len(long), broken) == (MAX_CHARACTERS, "half \ufffd 😀")


def test_vectors_of_another_length_are_an_error_with_both(remote: OpenAIEmbedder, models: ModelServer) -> None:
    assert remote.dims == 8
    models.script([script.vectors([[1.0] * 12])])
    with pytest.raises(EmbeddingMismatch) as caught:
        call_with_retries(lambda left: remote.embed(["tea"]))
    assert (caught.value.expected, caught.value.found, len(models.requests)) == (8, 12, 1)
    assert "12 dimensions, and 8 are expected" in caught.value.detail


def row(**item: Any) -> Reply:
    return script.raw_json({"data": [item]})


FAULTS: dict[str, tuple[Reply, type[ModelError], str, int]] = {
    "500": (script.http(500), ModelUnavailable, "model_unavailable", 3),
    "400": (script.http(400), ModelUnavailable, "model_unavailable", 1),
    "dropped": (script.drop(), ModelUnavailable, "model_unavailable", 3),
    "timeout": (script.delayed(2.0, script.vectors([[1.0]])), ModelTimeout, "model_timeout", 3),
    "html": (script.http(200, body=b"<html>"), ModelAnswerInvalid, "not_json", 3),
    "nothing": (script.raw_json({"data": []}), ModelAnswerInvalid, "wrong_shape", 3),
    "too many": (script.vectors([[1.0], [1.0]]), ModelAnswerInvalid, "wrong_shape", 3),
    "nan": (row(index=0, embedding=[float("nan"), 1.0]), ModelAnswerInvalid, "wrong_shape", 3),
    "zero": (row(index=0, embedding=[0.0, 0.0]), ModelAnswerInvalid, "wrong_shape", 3),
    "empty": (row(index=0, embedding=[]), ModelAnswerInvalid, "wrong_shape", 3),
    "base64": (row(index=0, embedding="AAAA"), ModelAnswerInvalid, "wrong_shape", 3),
    "texts": (row(index=0, embedding=["1"]), ModelAnswerInvalid, "wrong_shape", 3),
    "other index": (row(index=[7], embedding=[1.0]), ModelAnswerInvalid, "wrong_shape", 3),
    "40 MB": (script.huge(40), ModelAnswerInvalid, "too_large", 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_its_own_error(name: str, models: ModelServer) -> None:
    reply, kind, code, requests = FAULTS[name]
    models.script([reply])
    remote = OpenAIEmbedder(models.url, "", "m", timeout=1.0 if name == "timeout" else 5)
    with pytest.raises(kind) as caught:
        call_with_retries(lambda left: remote.embed(["tea"]), sleep=lambda seconds: None)
    assert (type(caught.value), caught.value.code, len(models.requests)) == (kind, code, requests)


def test_two_vectors_for_one_text_are_none_for_the_other(remote: OpenAIEmbedder, models: ModelServer) -> None:
    models.script([script.raw_json({"data": [{"index": 1, "embedding": [1.0]}] * 2})])
    with pytest.raises(ModelAnswerInvalid) as caught:
        remote.embed(["tea", "coffee"])
    assert caught.value.code == "wrong_shape"


def test_the_settings_choose(settings: Settings, models: ModelServer) -> None:
    assert isinstance(embedder(), MiniLM)
    assert embedder() is embedder()
    settings.EMBEDDER = "none"
    assert embedder() is None
    settings.EMBEDDER, settings.EMBED_BASE_URL, settings.EMBED_MODEL = "remote", models.url, "nomic"
    remote = embedder()
    assert isinstance(remote, OpenAIEmbedder) and remote.name == "nomic"
    assert models.requests == []
    assert remote.dims == 8


def test_a_forked_child_makes_its_own() -> None:
    program = """
import os, django
django.setup()
from apps.inference.embeddings import embedder
before = embedder().embed(["tea"])
child = os.fork()
if not child:
    os._exit(0 if embedder().embed(["tea"]) == before else 1)
print(os.waitpid(child, 0)[1])
"""
    environment = {**os.environ, "MEMORYPLANE_EMBED_THREADS": "2"}  # with one there is no thread to miss
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, timeout=30)
    assert done.stdout == "0\n"
