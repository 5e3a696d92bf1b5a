"""A read of one subject's newest 50 facts beside other memory stores, in one run on one PostgreSQL, turn by turn.

Every store holds the same facts: 14 subjects of 1,000 and the rest of 100, scattered over the store. A round asks each
store for the same five subjects, one after the other, in all orders of stores by turns, each in its own process, with
connections open. What counts is the median of the rounds' ratios of CPU, the caller's and the database's together, which
a busy neighbour doesn't decide; wall time is shown beside it. Ours is the product's whole read, with permissions and the
ledger row, and its JSON parsed, since the others return objects too.

Goals: no dearer than fastaiagent's PostgresFactStore, and a twentieth of mem0's pgvector store. The same 50
facts in the same order as the first; mem0 has no order by time. A search for the 10 nearest is shown too, without a
goal. ``--control`` drops the indexes of our hot read, and must then fail. Other stores are installed into environments
of their own when they are first asked for, under PEER_VENVS or the user's cache.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]
from turns import in_turn  # type: ignore[import-not-found]

SEED = 14
FACTS, BIG, BIG_FACTS, SMALL_FACTS = 200_000, 14, 1_000, 100
ROUNDS, WARM, IN_A_ROW, SEARCHES, NEWEST, NEAREST = 60, 5, 5, 20, 50, 10
GOALS = {"fastaiagent": 1.0, "mem0ai": 20.0}
OURS = "memoryplane"
MODEL = "hashed-128"
CONTENT_SQL = """
INSERT INTO facts_fact (project_id, scope, scope_id, subject_id, content, label, norm_hash, category, memory_type,
                        confidence, importance, trust, speaker, sensitivity, source, approved_by, corroborations,
                        pinned, restricted_reason, retired_reason)
SELECT %s, 'user', r.who, s.id, r.content, '', r.hash, 'general', 'semantic', 1, 0.5, 3, 'curator', 'internal',
       'manual', 'user:1', 0, false, '', ''
FROM given r JOIN tenancy_subject s ON s.project_id = %s AND s.kind = 'user' AND s.external_id = r.who
ORDER BY r.place
"""
VECTOR_SQL = """
INSERT INTO recall_factembedding (project_id, fact_id, subject_id, model, dims, vector)
SELECT f.project_id, f.id, f.subject_id, %s, vector_dims(r.vector), r.vector
FROM given r JOIN facts_fact f ON f.project_id = %s AND f.norm_hash = r.hash AND f.scope_id = r.who
"""
Timed = tuple[float, list[str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=FACTS, help=f"how many facts each store holds ({FACTS:,})")
    parser.add_argument("--control", action="store_true", help="drop the hot indexes; the run must then fail")
    options = parser.parse_args()
    if options.facts < BIG * BIG_FACTS + SMALL_FACTS:
        parser.error(f"at least {BIG * BIG_FACTS + SMALL_FACTS:,} facts")
    board = Board()
    with migrated(), tempfile.TemporaryDirectory(prefix="peers-") as folder, ExitStack() as stack:
        from memoryplane.evaluation.peers import PEERS, PeerFault, PeerStore, peer_database, peer_python

        file = Path(folder) / "facts.tsv"
        # The application's account runs the servers, and the peers read the file as us.
        smalls = write_facts(file, options.facts)
        board.note("facts in each store", options.facts)
        ours = Ours(file, control=options.control)
        reads: dict[str, Read] = {OURS: ours.newest}
        backends: dict[str, Callable[[], float]] = {OURS: ours.database_cpu}
        searches: dict[str, Callable[[str, str], Timed]] = {OURS: ours.search}
        for peer in PEERS:
            try:
                python = peer_python(peer, print)
                url = stack.enter_context(peer_database(peer))
                store = stack.enter_context(PeerStore(peer, python, url))
                begin = time.monotonic()
                store.call("load", file=str(file))
            except PeerFault as fault:
                board.check(f"{peer} can be asked", False, found=str(fault))
                continue
            board.note(f"{peer.name} {store.version} loaded in", time.monotonic() - begin, unit="s")
            reads[peer.name] = lambda whos, store=store: Row(
                **store.call("newest_of_each", subjects=whos, limit=NEWEST)
            )
            backends[peer.name] = lambda name=peer.name: database_cpu(f"datname = 'peer_{name}'")
            searches[peer.name] = lambda who, query, store=store: timed(
                store.call("search", who=who, query=query, limit=NEAREST)
            )
        chosen = random.Random(SEED)
        for size, subjects in (("100", smalls), (f"{BIG_FACTS:,}", [f"big-{n}" for n in range(BIG)])):
            compare_reads(
                board, reads, backends, size, [chosen.sample(subjects, IN_A_ROW) for _ in range(WARM + ROUNDS)]
            )
            compare_searches(board, searches, size, [chosen.choice(subjects) for _ in range(SEARCHES)], chosen)
        print(f"written to {write('peers', board, SEED, control=options.control)}")
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


@dataclass
class Row:
    """What a store answered of each of a row of subjects, and what that took: wall and the caller's own CPU, seconds."""

    seconds: float
    cpu: float
    texts: list[list[str]]


Read = Callable[[list[str]], Row]


def compare_reads(
    board: Board, reads: dict[str, Read], backends: dict[str, Callable[[], float]], size: str, rounds: list[list[str]]
) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in reads}
    cpu: dict[str, list[float]] = {name: [] for name in reads}
    rows: dict[str, list[int]] = {name: [] for name in reads}
    same = True
    for number, subjects in enumerate(rounds):
        answers: dict[str, Row] = {}
        for name in in_turn(list(reads), number):
            before = backends[name]()
            answers[name] = reads[name](subjects)
            answers[name].cpu += backends[name]() - before
        if number < WARM:
            continue
        for name, answer in answers.items():
            seconds[name].append(answer.seconds / len(subjects))
            cpu[name].append(answer.cpu / len(subjects))
            rows[name] += [len(texts) for texts in answer.texts]
        same &= "fastaiagent" not in answers or answers[OURS].texts == answers["fastaiagent"].texts
    board.check(f"newest {NEWEST} of {size}: the same facts as fastaiagent's, in order", same)
    board.note(f"newest {NEWEST} of {size}: {OURS}, CPU", median(cpu[OURS]) * 1000, unit="ms")
    board.note(f"newest {NEWEST} of {size}: {OURS}, wall", median(seconds[OURS]) * 1000, unit="ms")
    for name in GOALS:
        if name in reads:
            board.at_least(
                f"newest {NEWEST} of {size}: {name} takes", of_ours(cpu, name), GOALS[name], unit="x our CPU"
            )
            board.note("  wall", of_ours(seconds, name), unit="x ours")
            board.note(f"newest {NEWEST} of {size}: rows of {name}, the least", min(rows[name]))


def database_cpu(which: str) -> float:
    """Seconds on the processor of the database's processes that ``which`` names, from Linux' own count in nanoseconds."""
    from django.db import connections

    with connections["owner"].cursor() as owner:
        owner.execute(f"SELECT pid FROM pg_stat_activity WHERE {which} AND backend_type = 'client backend'")
        pids = [pid for (pid,) in owner.fetchall()]
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9


def of_ours(seconds: dict[str, list[float]], name: str) -> float:
    return median(theirs / mine for theirs, mine in zip(seconds[name], seconds[OURS], strict=True))


def compare_searches(
    board: Board,
    searches: dict[str, Callable[[str, str], Timed]],
    size: str,
    subjects: list[str],
    chosen: random.Random,
) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    rows: dict[str, list[int]] = {name: [] for name in searches}
    for number, who in enumerate(subjects):
        query = sentence(chosen)
        for name in in_turn(list(searches), number):
            # Once before: what a store fetches or indexes at its first search is not what is compared.
            searches[name](who, query)
            took, texts = searches[name](who, query)
            seconds[name].append(took)
            rows[name].append(len(texts))
    for name in searches:
        if name != OURS:
            board.note(f"nearest {NEAREST} of {size}: {name} takes", of_ours(seconds, name), unit="x ours")
        board.note(f"nearest {NEAREST} of {size}: rows of {name}, on average", sum(rows[name]) / len(rows[name]))


def timed(answer: dict[str, object]) -> Timed:
    return answer["seconds"], answer["texts"]  # type: ignore[return-value]


def sentence(chosen: random.Random) -> str:
    stems = ("re", "con", "pre", "sub", "un", "ex", "in", "pro", "de", "ab")
    ends = (
        "lease",
        "tract",
        "fer",
        "mit",
        "form",
        "port",
        "ject",
        "duct",
        "cline",
        "ply",
        "test",
        "view",
        "call",
        "lay",
    )
    return " ".join(chosen.choice(stems) + chosen.choice(ends) for _ in range(9))


def write_facts(path: Path, count: int) -> list[str]:
    """The facts, oldest first, a subject and a text a line; returns the small subjects that have all their facts."""
    chosen = random.Random(SEED)
    small = [f"user-{n // SMALL_FACTS}" for n in range(count - BIG * BIG_FACTS)]
    subjects = [f"big-{n % BIG}" for n in range(BIG * BIG_FACTS)] + small
    chosen.shuffle(subjects)
    with path.open("w", encoding="utf-8") as lines:
        for number, who in enumerate(subjects):
            lines.write(f"{who}\tThe customer wants {sentence(chosen)}, as said in message {number}.\n")
    return sorted({who for who in small if int(who.removeprefix("user-")) < len(small) // SMALL_FACTS})


class Ours:
    """The product with the same facts, all equally important, so that the newest come first."""

    def __init__(self, path: Path, *, control: bool) -> None:
        from django.db import connections

        from apps.recall.queries import reader_for
        from benchmarks.data import vacuum
        from tests.factories import make_agent, make_key, make_project

        self.project = make_project()
        make_agent(self.project, "support")
        self.key, _ = make_key(self.project, ["facts:read", "facts:read:user"])
        self.reader_for = reader_for
        with connections["owner"].cursor() as owner:
            owner.execute(
                "CREATE TEMPORARY TABLE given"
                " (place int, who text, content text, hash bytea PRIMARY KEY, vector halfvec)"
            )
            with owner.copy("COPY given FROM STDIN") as copy:
                for row in given(path):
                    copy.write_row(row)
            owner.execute("ANALYZE given")
            owner.execute(
                "INSERT INTO tenancy_subject (project_id, kind, external_id, epoch)"
                " SELECT DISTINCT %s::bigint, 'user', who, 0 FROM given",
                [self.project.id],
            )
            owner.execute(CONTENT_SQL, [self.project.id, self.project.id])
            owner.execute(VECTOR_SQL, [MODEL, self.project.id])
            if control:
                owner.execute("DROP INDEX facts_hot_agent_idx, facts_hot_project_idx, facts_hot_user_idx")
            owner.execute("VACUUM (ANALYZE) recall_factembedding, tenancy_subject")
            # A read comes from the hot index alone only where the pages are known as visible to all.
            vacuum(owner)

    def newest(self, whos: list[str]) -> Row:
        from apps.recall.question import NOTHING

        begin, used = time.perf_counter(), time.process_time()
        texts = [self._told(who, NOTHING, NEWEST)[1] for who in whos]
        used, took = time.process_time() - used, time.perf_counter() - begin
        return Row(took, used, texts)

    def database_cpu(self) -> float:
        from django.db import connections

        connections["default"].ensure_connection()
        return database_cpu(f"pid = {connections['default'].connection.info.backend_pid}")

    def search(self, who: str, query: str) -> Timed:
        from apps.recall.question import Question
        from memoryplane.evaluation.peer_stores import hashed

        return self._told(who, Question(query, [], vector=hashed(query), model=MODEL), NEAREST)

    def _told(self, who: str, question: object, limit: int) -> Timed:
        import orjson

        from apps.recall.queries import told_facts

        begin = time.perf_counter()
        answer = told_facts(self.reader_for(self.key, "support", who, None), question, limit=limit)  # type: ignore[arg-type]
        facts = orjson.loads(answer or b"{}")["facts"]
        return time.perf_counter() - begin, [fact["content"] for fact in facts]


def given(path: Path) -> Iterator[tuple[int, str, str, bytes, str]]:
    from apps.core.text import norm_hash
    from memoryplane.evaluation.peer_stores import hashed

    with path.open(encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            who, text = line.rstrip("\n").split("\t")
            yield place, who, text, norm_hash(text), "[" + ",".join(f"{value:.6f}" for value in hashed(text)) + "]"


if __name__ == "__main__":
    sys.exit(main())
