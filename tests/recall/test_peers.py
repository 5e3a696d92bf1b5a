"""Other stores to compare with: made ready apart, given the same vectors, and told of when they can't be had."""

import math
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from apps.inference.embeddings import embedder
from apps.tenancy.models import Project
from memoryplane.evaluation import recall
from memoryplane.evaluation.locomo import Asked, Observation, Talk
from memoryplane.evaluation.peer_stores import Embedder, hashed
from memoryplane.evaluation.peers import PEERS, Peer, PeerFault, PeerStore, peer_database, peer_python
from tests.servers import WORKER


def test_an_environment_that_is_complete_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEER_VENVS", str(tmp_path))
    peer = Peer("some-store", "1.2", ("some-store==1.2", "other==3"))
    folder = tmp_path / "some-store-1.2"
    folder.mkdir()
    (folder / "complete").write_text("some-store==1.2\nother==3")
    said: list[str] = []
    assert peer_python(peer, said.append) == folder / "bin" / "python"
    assert said == []


def test_one_that_can_not_be_installed_is_told_of_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEER_VENVS", str(tmp_path))
    # No index is asked: the requirement itself is at fault.
    peer = Peer("some-store", "1.2", (f"some-store @ file://{tmp_path}/away.whl",))
    with pytest.raises(PeerFault, match=r"some-store 1\.2 can't be installed here: .*away"):
        peer_python(peer, print)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_does_not_start_says_why() -> None:
    # This Python has the SDK, and not what its index needs.
    with (
        pytest.raises(PeerFault, match=r"fastaiagent 1\.94\.0 ended: \w*Error"),
        PeerStore(PEERS[0], Path(sys.executable), "postgresql://nobody@127.0.0.1:1/none"),
    ):
        pass


def test_its_database_is_empty_and_gone_afterwards(fresh_db: str) -> None:
    peer = Peer(f"store_{WORKER}", "1", ())
    with peer_database(peer) as url, psycopg.connect(url) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert tables == (0,)
        # It may ask for the extension, which is there.
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(url)


def test_it_gets_the_vectors_of_the_products_embedder(tmp_path: Path) -> None:
    talk = Talk("one")
    talk.observations.append(Observation("Ann  plays the cello.", "Ann", 1, None, frozenset({"D1:1"})))  # type: ignore[arg-type]
    talk.questions.append(Asked("What does Ann play?", 4, frozenset({"D1:1"})))
    model = embedder()
    assert model is not None
    recall.write_vectors([recall.Stored(Project(), talk, {})], model, tmp_path / "vectors")
    held = Embedder(str(tmp_path / "vectors"))
    assert held.dims == model.dims
    for text in ("Ann plays the cello.", "What does Ann play?"):
        assert held.of(f" {text} ") == pytest.approx(model.embed([text])[0], abs=1e-7)


def test_hashed_words_are_the_same_everywhere_and_near_where_words_are_shared() -> None:
    one, same, near, far = map(hashed, ("contract of May", "CONTRACT of may", "contract of June", "green tea please"))
    cosine = [sum(a * b for a, b in zip(one, other, strict=True)) for other in (same, near, far)]
    assert math.hypot(*one) == pytest.approx(1)
    assert cosine[0] == pytest.approx(1)
    assert cosine[0] > cosine[1] > cosine[2]
    code = "import peer_stores; print(sum(i * v for i, v in enumerate(peer_stores.hashed('contract of May'))))"
    path = str(Path(recall.__file__).parent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONHASHSEED": "7"})  # fmt: skip
    assert float(done.stdout) == pytest.approx(sum(i * v for i, v in enumerate(one)))
