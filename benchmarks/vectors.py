"""Facts with vectors for agents of known size, and what is nearest in truth. Made from a seed, the same everywhere.

2,000 topics in 48 latent dimensions, turned into 384; a fact is a topic and half as much of its own, a question the
same. Every hundredth fact of an agent is of the category `rare`, and those of every fiftieth topic are `narrow`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy

DIMS, LATENT, TOPICS = 384, 48, 2_000
MODEL = "bench"
INDEX = f"recall_embedding_{DIMS}_idx"

FACTS = """
INSERT INTO facts_fact (project_id, scope, scope_id, agent_id, content, label, norm_hash, category, memory_type,
                        confidence, importance, trust, speaker, sensitivity, source, approved_by, corroborations,
                        pinned, restricted_reason, retired_reason)
SELECT %(project)s, 'agent', a.name, a.id, 'Fact number ' || n + %(first)s || ' of ' || a.name || ' about shipping.', '',
       decode(md5(a.name || n + %(first)s), 'hex'),
       CASE WHEN n %% 100 = 0 THEN 'rare' WHEN topic %% 50 = 1 THEN 'narrow' ELSE 'general' END, 'semantic', 1,
       (hashtext(n::text) & 1023) / 1023.0, 3, 'curator', 'internal', 'manual', 'user:1', 0, false, '', ''
FROM unnest(%(topics)s::int[]) WITH ORDINALITY t(topic, n)
JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = %(agent)s
ORDER BY n
RETURNING id, category
"""


@dataclass
class Owned:
    """The facts of one agent, in the order of their ids. ``vectors`` are rounded as they are stored."""

    ids: list[int] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    vectors: Any = None

    def nearest(self, question: Any, count: int, categories: list[str] | None = None) -> list[int]:
        """The ids of the ``count`` nearest, exactly."""
        similar = self.vectors @ question
        if categories is not None:
            similar = numpy.where(numpy.isin(self.categories, categories), similar, -2.0)
        best = numpy.argsort(-similar)[:count]
        return [self.ids[place] for place in best if similar[place] > -2.0]


class Store:
    """One project of agents; grows, and keeps what is true of each."""

    def __init__(self, project: Any, seed: int) -> None:
        self.project = project
        self._numbers = numpy.random.default_rng(seed)
        self._centres = self._numbers.normal(size=(TOPICS, LATENT))
        self._turn = self._numbers.normal(size=(LATENT, DIMS)) / LATENT**0.5
        self.size = 0
        self.owned: dict[str, Owned] = {}

    def points(self, topics: Any) -> Any:
        """One vector a topic, of length 1, rounded to halves."""
        latent = self._centres[topics] + 0.5 * self._numbers.normal(size=(len(topics), LATENT))
        found = latent @ self._turn
        found /= numpy.linalg.norm(found, axis=1, keepdims=True)
        return found.astype(numpy.float16).astype(numpy.float32)

    def questions(self, count: int) -> Any:
        return self.points(self._numbers.integers(0, TOPICS, count))

    def give(self, agent: str, count: int) -> None:
        """So many more facts with vectors; the index, if there is one, grows with them: drop it for many."""
        from django.db import connections
        from pgvector import HalfVector

        topics = self._numbers.integers(0, TOPICS, count)
        vectors = self.points(topics)
        owned = self.owned.setdefault(agent, Owned())
        with connections["owner"].cursor() as owner:
            # The trigger looks up each row's agent, which is right here by construction.
            owner.execute("ALTER TABLE facts_fact DISABLE TRIGGER own_scope")
            given = {"project": self.project.id, "agent": agent, "topics": topics.tolist(), "first": len(owned.ids)}
            owner.execute(FACTS, given)
            rows = owner.fetchall()
            owner.execute("ALTER TABLE facts_fact ENABLE TRIGGER own_scope")
            owner.execute("CREATE TEMPORARY TABLE IF NOT EXISTS given (fact bigint, vector halfvec)")
            with owner.copy("COPY given FROM STDIN") as copy:
                for (fact, _), vector in zip(rows, vectors, strict=True):
                    copy.write_row((fact, HalfVector(vector).to_text()))
            owner.execute(
                "INSERT INTO recall_factembedding (project_id, fact_id, model, dims, vector)"
                " SELECT %s, fact, %s, %s, vector FROM given", [self.project.id, MODEL, DIMS],
            )  # fmt: skip
            owner.execute("TRUNCATE given")
        owned.ids += [row[0] for row in rows]
        owned.categories += [row[1] for row in rows]
        owned.vectors = vectors if owned.vectors is None else numpy.vstack([owned.vectors, vectors])
        self.size += count

    def index(self) -> None:
        """The index of vectors anew."""
        from django.db import connections

        with connections["owner"].cursor() as owner:
            owner.execute(f"DROP INDEX IF EXISTS {INDEX}")
            owner.execute("SET maintenance_work_mem = '1GB'")
            owner.execute("SET max_parallel_maintenance_workers = 2")
            owner.execute(
                f"CREATE INDEX {INDEX} ON recall_factembedding"
                f" USING hnsw ((vector::halfvec({DIMS})) halfvec_cosine_ops) WHERE dims = {DIMS}"
            )
        self.vacuum()

    @staticmethod
    def vacuum() -> None:
        """What autovacuum does on an installation that runs."""
        from django.db import connections

        with connections["owner"].cursor() as owner:
            owner.execute("VACUUM (ANALYZE) facts_fact")
            owner.execute("VACUUM (ANALYZE) recall_factembedding")
