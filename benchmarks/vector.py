"""The nearest facts of a question, for agents of 90 to 200,000 facts in one store of vectors.

Each agent is asked through the product's own read. Goals: recall@10 against exact truth at least .95, and as many rows
as there are up to the limit; time at most 1.3 times the better of two forced variants, all facts compared (``exact``)
and the index (``hnsw``), asked in turn; the path that was meant taken, which the index's own counter says; and the cost,
in shared buffers, growing with the store by a slope of .15 at most where the index answers. Where a key may be told one
in a hundred facts (``rare``, over all topics, and ``narrow``, of a few), rows and recall are the same goal.

``--short`` leaves out the agent of 200,000. ``--control`` takes the index for everybody, as the planner does, without
its iterative scan, and must fail.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy
from results import Board, write
from servers import migrated
from vectors import INDEX, MODEL, Store

SEED = 7
SIZES = (90, 200, 2_000, 20_000, 200_000)
TOP, RECALL, SLOWER, SLOPE = 10, 0.95, 1.3, 0.15
QUESTIONS, ROUNDS, WARM = 40, 15, 2
GROWTH = {20_000: (0.3, 0.55, 1.0), 200_000: (0.1, 0.3, 1.0)}
"""Shares of the largest agent's facts at which the cost of a read is counted, while there are no others: then only the
size of the store changes. Each is beyond what is scanned."""
FILTERS = ("rare", "narrow")

# The choice of the path as the product makes it, unless a variant is asked for.
CHOICE = """
ALTER FUNCTION few_facts(recall_reader, int) RENAME TO few_facts_counted;
CREATE FUNCTION few_facts(r recall_reader, most int) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN CASE current_setting('bench.path', true) WHEN 'exact' THEN true WHEN 'hnsw' THEN false
           ELSE few_facts_counted(r, most) END;
END $$;
"""


class Reads:
    """The product's read of one agent, by the path it chooses or by a forced one."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.forced = ""

    def force(self, path: str) -> None:
        from django.db import connection

        if path != self.forced:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('bench.path', %s, false)", [path])
            self.forced = path

    def ids(self, agent: str, vector: Any, categories: list[str] | None = None, limit: int = TOP) -> list[int]:
        from apps.recall.queries import Reader, told_facts
        from apps.recall.question import Question

        reader = Reader(
            project_id=self.store.project.id,
            key_id=None,
            agent=agent,
            sensitivities=["internal"],
            categories=categories,
        )
        told = told_facts(reader, Question("", [], vector=vector.tolist(), model=MODEL), limit=limit)
        return [fact["id"] for fact in json.loads(told or b"{}")["facts"]]

    def seconds(self, agent: str, vector: Any, path: str) -> float:
        self.force(path)
        begin = time.perf_counter()
        self.ids(agent, vector)
        return time.perf_counter() - begin

    def index_scans(self, ask: Callable[[], object]) -> int:
        """How often the index of vectors was scanned meanwhile, by the transaction's own counter."""
        from django.db import connection, transaction

        counted = f"SELECT pg_stat_get_xact_numscans('{INDEX}'::regclass)"
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(counted)
            (before,) = cursor.fetchone()
            ask()
            cursor.execute(counted)
            (after,) = cursor.fetchone()
        return int(after - before)

    def buffers(self, agent: str, vector: Any) -> int:
        """Shared buffers of one read, everything inside the function included."""
        from django.db import connection

        self.force("")
        with connection.cursor() as cursor:
            cursor.execute(
                "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT serve_facts(%s, NULL, %s, NULL, NULL, ARRAY['internal'],"
                " NULL, NULL, NULL, '', NULL, NULL, %s, NULL, '{}', '{}', '{}', NULL, %s::halfvec, %s, 0, NULL)",
                [self.store.project.id, agent, TOP, str(vector.tolist()), MODEL],
            )
            (plan,) = cursor.fetchone()
        node = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
        return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="agents of up to 20,000 facts; about a minute")
    parser.add_argument("--control", action="store_true", help="the index for everybody; the run must then fail")
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= 20_000 or not options.short]
    board = Board()
    with migrated():
        reads = prepared(sizes)
        growth = fill(reads, sizes)
        if options.control:
            broken(reads)
        for size in sizes:
            quality(board, reads, size, limited=None)
            if not options.control:
                path(board, reads, size)
                speed(board, reads, size)
        for size in sizes:
            for limited in FILTERS if size > 5_000 else ():
                quality(board, reads, size, limited=limited)
        if not options.control:
            board.at_most("slope of buffers by size of the store, by the index", slope(growth), SLOPE)
        write("vector-short" if options.short else "vector", board, SEED, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def prepared(sizes: list[int]) -> Reads:
    """Agents without facts in a project whose only weight is similarity: then the truth is the nearest."""
    from django.db import connections

    from apps.core.transactions import bind
    from apps.recall.models import WEIGHTS, RecallSettings
    from tests.factories import make_agent, make_project

    project = make_project("bench")
    for size in sizes:
        make_agent(project, name_of(size))
    with bind(project.id):
        RecallSettings.objects.create(
            project=project, half_life_days=90, language="english",
            **(dict.fromkeys(WEIGHTS, 0.0) | {"similarity": 1.0}),
        )  # fmt: skip
    with connections["owner"].cursor() as owner:
        owner.execute(CHOICE)
        owner.execute(f"DROP INDEX {INDEX}")
    return Reads(Store(project, SEED))


def fill(reads: Reads, sizes: list[int]) -> list[tuple[int, int]]:
    """All facts, those of the largest agent first and the index anew at each of three sizes; what a read cost there."""
    store, growth = reads.store, []
    largest, agent = sizes[-1], name_of(sizes[-1])
    for share in GROWTH[largest]:
        store.give(agent, round(largest * share) - store.size)
        store.index()
        questions = store.questions(25)
        growth.append((store.size, round(median(reads.buffers(agent, question) for question in questions))))
        print(f"  {store.size:,} facts in the store, {growth[-1][1]:,} buffers a read", flush=True)
    for size in sizes[:-1]:
        store.give(name_of(size), size)
    store.vacuum()
    return growth


def quality(board: Board, reads: Reads, size: int, *, limited: str | None) -> None:
    owned, right, full = reads.store.owned[name_of(size)], 0, True
    categories = [limited] if limited else None
    reads.force("")
    questions = reads.store.questions(QUESTIONS)
    for question in questions:
        truth = owned.nearest(question, TOP, categories)
        found = reads.ids(name_of(size), question, categories)
        right += len(set(truth) & set(found))
        full &= len(found) == len(truth)
    allowed = f", {limited} only" if limited else ""
    board.at_least(f"recall@{TOP}, {size:,} facts{allowed}", right / (TOP * QUESTIONS), RECALL)
    board.check(f"full rows, {size:,} facts{allowed}", full)


def path(board: Board, reads: Reads, size: int) -> None:
    """The forced variants do what they are named for, and which of them the product took."""
    (question,) = reads.store.questions(1)
    scans = {}
    for forced in ("exact", "hnsw", ""):
        reads.force(forced)
        scans[forced] = reads.index_scans(lambda: reads.ids(name_of(size), question))
    board.check(f"forced plans are what they are called, {size:,} facts", scans["exact"] == 0 and scans["hnsw"] == 1)
    board.note(f"path chosen, {size:,} facts", "hnsw" if scans[""] else "exact")


def speed(board: Board, reads: Reads, size: int) -> None:
    variants = ["", "exact", "hnsw"]
    taken: dict[str, list[float]] = {variant: [] for variant in variants}
    for turn, question in enumerate(reads.store.questions(WARM + ROUNDS)):
        for variant in variants[turn % 3 :] + variants[: turn % 3]:
            seconds = reads.seconds(name_of(size), question, variant)
            if turn >= WARM:
                taken[variant].append(seconds)
    own, exact, hnsw = (median(taken[variant]) for variant in variants)
    board.note(f"exact to hnsw, {size:,} facts", exact / hnsw)
    board.at_most(f"time to the better of both, {size:,} facts", own / min(exact, hnsw), SLOWER)


def broken(reads: Reads) -> None:
    """Everybody by the index, which stops at its first candidates."""
    from django.db import connections

    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_get_functiondef('nearest_of_many'::regproc), pg_get_functiondef('few_facts'::regproc)")
        nearest, few = owner.fetchone()
        owner.execute(nearest.replace("'relaxed_order'", "'off'").replace("cardinality(near) < deep", "false"))
        owner.execute(few.replace("few_facts_counted(r, most)", "false"))


def slope(growth: list[tuple[int, int]]) -> float:
    """Of log cost on log size."""
    x, y = ([math.log(value) for value in column] for column in zip(*growth, strict=True))
    return float(numpy.polyfit(x, y, 1)[0])


def name_of(size: int) -> str:
    return f"agent-{size}"


if __name__ == "__main__":
    sys.exit(main())
