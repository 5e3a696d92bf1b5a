"""Another memory store behind its own public calls, for a comparison; runs in that store's environment, not in ours.

    python peer_stores.py NAME DATABASE_URL [VECTORS]

Reads one JSON object a line, ``{"op": …}``, and answers each with one: ``add`` (who, texts), ``load`` (file of "who TAB
text" lines, oldest first, by COPY), ``search`` (who, query, limit), ``newest`` (who, limit). The last two answer with
``texts`` and the ``seconds`` that the store's own call took. VECTORS is a file of ``{"text", "vector"}`` lines, a vector
as base64 of 32-bit floats; without it a text has the vector of its words' hashes.
"""

import base64
import hashlib
import importlib.metadata
import json
import math
import os
import sys
import time
import uuid
from array import array
from collections.abc import Iterator
from typing import Any

HASHED_DIMS = 128


def hashed(text: str) -> list[float]:
    """The same vector for the same text everywhere, near ones for texts that share words; length 1, 128 dimensions."""
    vector = [0.0] * HASHED_DIMS
    for word in text.lower().split():
        digest = hashlib.blake2b(word.encode(), digest_size=16).digest()
        for place in range(0, 16, 2):
            vector[digest[place] % HASHED_DIMS] += 1.0 if digest[place + 1] & 1 else -1.0
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]


class Embedder:
    """Vectors that were made beforehand, so that every store has the same."""

    def __init__(self, path: str | None) -> None:
        self.known: dict[str, list[float]] | None = None
        if path:
            with open(path, encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            self.known = {row["text"].strip(): _floats(row["vector"]) for row in rows}
        self.dims = len(next(iter(self.known.values()))) if self.known else HASHED_DIMS

    def of(self, text: str) -> list[float]:
        return hashed(text) if self.known is None else self.known[text.strip()]


class FastAIAgent:
    """``Memory`` over PostgresFactStore, with its in-process vector index; the newest by the store itself."""

    package = "fastaiagent"

    def __init__(self, url: str, embedder: Embedder) -> None:
        import fastaiagent as fa
        from fastaiagent.learn import PostgresFactStore

        class Vectors:
            def embed(self, texts: list[str]) -> list[list[float]]:
                return [embedder.of(text) for text in texts]

        class Probed(Vectors):
            """It asks for a probe's vector, to know how long they are."""

            def embed(self, texts: list[str]) -> list[list[float]]:
                return [[1.0] + [0.0] * (embedder.dims - 1)] if texts == ["probe"] else super().embed(texts)

        self.url = url
        self.store = PostgresFactStore(url, min_pool_size=1, max_pool_size=2)
        self.memory = fa.Memory(location=self.store, semantic="auto", embedder=Probed())

    def add(self, who: str, texts: list[str]) -> None:
        for text in texts:
            self.memory.persist(text, tier="user", id=who)

    def search(self, who: str, query: str, limit: int) -> list[str]:
        return [fact.fact for fact in self.memory.retrieve(query, tier="user", id=who, limit=limit)]

    def newest(self, who: str, limit: int) -> list[str]:
        return [fact.fact for fact in self.store.list_active("user", who, limit=limit)]

    def load(self, rows: Iterator[tuple[str, str]]) -> None:
        import psycopg

        begin = time.time() - 10_000_000
        with psycopg.connect(self.url, autocommit=True) as connection, connection.cursor() as cursor:
            with cursor.copy("COPY learned_memory (scope, scope_id, fact, created_at) FROM STDIN") as copy:
                for place, (who, text) in enumerate(rows):
                    copy.write_row(("user", who, text, begin + place))
            cursor.execute("VACUUM ANALYZE learned_memory")


class Mem0:
    """``Memory`` over its pgvector store, everything stored as it is said (infer=False)."""

    package = "mem0ai"

    def __init__(self, url: str, embedder: Embedder) -> None:
        from mem0 import Memory

        class Vectors:
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return embedder.of(text)

            def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
                return [embedder.of(text) for text in texts]

        self.url, self.embedder = url, embedder
        store = {
            "connection_string": url,
            "collection_name": "mem",
            "embedding_model_dims": embedder.dims,
        }
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "history_db_path": os.path.join(os.environ["MEM0_DIR"], "history.db"),
            }
        )
        self.memory.embedding_model = Vectors()

    def add(self, who: str, texts: list[str]) -> None:
        for text in texts:
            self.memory.add([{"role": "user", "content": text}], user_id=who, infer=False)

    def search(self, who: str, query: str, limit: int) -> list[str]:
        found = self.memory.search(query, filters={"user_id": who}, top_k=limit)["results"]
        return [one["memory"] for one in found]

    def newest(self, who: str, limit: int) -> list[str]:
        # It has no order by time: any of the subject's, as its documentation says.
        return [one["memory"] for one in self.memory.get_all(filters={"user_id": who}, top_k=limit)["results"]]

    def load(self, rows: Iterator[tuple[str, str]]) -> None:
        import psycopg

        self.memory.vector_store._ensure_collection()
        with psycopg.connect(self.url, autocommit=True) as connection, connection.cursor() as cursor:
            # Filled first and indexed once, with the index it made itself and memory enough: what is timed is reading.
            cursor.execute("SET maintenance_work_mem = '1GB'")
            indexes = cursor.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'mem' AND indexdef LIKE '%hnsw%'"
            ).fetchall()
            for name, _ in indexes:
                cursor.execute(f"DROP INDEX {name}")
            with cursor.copy("COPY mem (id, vector, payload) FROM STDIN") as copy:
                for place, (who, text) in enumerate(rows):
                    copy.write_row((str(uuid.uuid4()), _literal(self.embedder.of(text)), _payload(place, who, text)))
            for _, definition in indexes:
                cursor.execute(definition)
            cursor.execute("VACUUM ANALYZE mem")


def _payload(place: int, who: str, text: str) -> str:
    at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(1_760_000_000 + place))
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    payload = {"data": text, "user_id": who, "hash": digest, "text_lemmatized": text, "role": "user"}
    return json.dumps(payload | {"created_at": at, "updated_at": at})


def _literal(vector: list[float]) -> str:
    return "[" + ",".join(f"{value:.6f}" for value in vector) + "]"


def _floats(text: str) -> list[float]:
    values = array("f")
    values.frombytes(base64.b64decode(text))
    return list(values)


def _rows(path: str) -> Iterator[tuple[str, str]]:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            who, text = line.rstrip("\n").split("\t")
            yield who, text


def main() -> None:
    stores: dict[str, Any] = {"fastaiagent": FastAIAgent, "mem0ai": Mem0}
    name, url, *vectors = sys.argv[1:]
    # What a library prints must not stand between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    store = stores[name](url, Embedder(vectors[0] if vectors else None))

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    say({"version": importlib.metadata.version(store.package)})
    for line in sys.stdin:
        order = json.loads(line)
        op = order.pop("op")
        if op == "load":
            store.load(_rows(order["file"]))
            say({})
        elif op == "add":
            store.add(**order)
            say({})
        elif op == "newest_of_each":
            # In a row, so that what is timed is the store and not how it is woken.
            begin, used = time.perf_counter(), time.process_time()
            texts_of_each = [store.newest(who, order["limit"]) for who in order["subjects"]]
            used, took = time.process_time() - used, time.perf_counter() - begin
            say({"seconds": took, "cpu": used, "texts": texts_of_each})
        else:
            begin = time.perf_counter()
            texts = {"search": store.search}[op](**order)
            say({"seconds": time.perf_counter() - begin, "texts": texts})


if __name__ == "__main__":
    main()
