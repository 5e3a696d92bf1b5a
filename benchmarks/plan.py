"""How much the read of facts touches as the store grows: shared buffers, statements and plans, which are counts and not
times.

The reader names an agent, so gets its facts and the project's, and a user, so gets his, also those told through that
agent alone; each of the four holds far more than he is told. At 10,000, 100,000 and 1,000,000 facts (``--sizes`` for
others; 5,000,000 takes some half an hour and 12 GB), for the agent with the most facts and eleven others.

Goals, for the reader who costs most: one statement when warm; at most 60 buffers for the read and 15 more for its row in
the ledger. Every part of the read along its hot index, most important first, without touching a row that is known to be
visible. Buffers that don't grow: log buffers / log facts at most 0.05, of all readers together, since one long fact
among the 50 is eight more, and over a hundredfold: each of the four trees gains a level somewhere on the way, a third of so
small a figure, so that tenfold alone has a slope of 0.12 or of less than nothing, by where it begins. ``--control`` drops the hot indexes, and must fail.
"""

import argparse
import json
import math
import re
import sys
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

GOAL_READ, GOAL_LEDGER, GOAL_STATEMENTS, GOAL_SLOPE = 60, 15, 1, 0.05
HOT = {"facts_hot_agent_idx", "facts_hot_project_idx", "facts_hot_user_idx"}
AGENTS = [f"agent-{number}" for number in (0, 1, 2, 5, 10, 50, 100, 200, 500, 1000, 1500, 1999)]
WARM = 8  # by then Postgres keeps a plan for any parameters


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="drop the hot indexes; the run must then fail")
    parser.add_argument("--sizes", default="10000,100000,1000000", help="facts in all, rising")
    parser.add_argument("--short", action="store_true", help="the sizes 10,000 and 50,000")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sizes = [10_000, 50_000] if options.short else [int(size) for size in options.sizes.split(",")]
    board = Board()
    with migrated():
        from django.db import connections

        from benchmarks.data import Store

        store = Store.make(options.seed)
        grown: list[tuple[int, float]] = []
        for size in sizes:
            store.grow(size)
            if options.control:
                with connections["owner"].cursor() as owner:
                    owner.execute(f"DROP INDEX IF EXISTS {', '.join(HOT)}")
            print(f"{size:,} facts")
            grown.append((size, measure(board, store)))
            plan(board, store)
        board.at_most("log buffers / log facts", slope(grown), GOAL_SLOPE)
        write("plan-short" if options.short else "plan", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def measure(board: Any, store: Any) -> float:
    """Statements and buffers of the reads; returns the mean of the buffers without the ledger row."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    alone: list[int] = []
    recorded: list[int] = []
    statements = 0
    for agent in AGENTS:
        for _ in range(WARM):
            told = json.loads(store.read(agent))["facts"]
        with CaptureQueriesContext(connection) as sent:
            store.read(agent)
        statements = max(statements, len(sent))
        alone.append(min(buffers(store, agent, None) for _ in range(3)))
        recorded.append(min(buffers(store, agent, store.key.id) for _ in range(3)))
        if agent == AGENTS[0]:
            scopes = {scope: sum(fact["scope"] == scope for fact in told) for scope in ("agent", "project", "user")}
            parts = ", ".join(f"{count} of its {scope}" for scope, count in scopes.items())
            print(f"  {agent}, who has the most, is told {len(told)}: {parts}")
            board.note("  buffers of its read", alone[0])
    board.at_most("statements", statements, GOAL_STATEMENTS)
    board.at_most("buffers of the read, the most", max(alone), GOAL_READ)
    board.note("buffers of the read, the mean", sum(alone) / len(alone))
    more = [with_row - without for with_row, without in zip(recorded, alone, strict=True)]
    board.at_most("buffers more for the ledger row, the most", max(more), GOAL_LEDGER)
    return sum(alone) / len(alone)


def buffers(store: Any, agent: str, key: int | None) -> int:
    """Shared buffers of one read, everything inside the function included; without a key it leaves no ledger row."""
    from django.db import connection

    from benchmarks.data import USER

    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT serve_facts(%s, %s, %s, %s, NULL,"
            " ARRAY['public', 'internal', 'personal'], NULL, NULL, NULL, '', NULL, NULL, 50, NULL, NULL, NULL, NULL, NULL,"
            " NULL, NULL, 0, NULL)",
            [store.project.id, key, agent, USER],
        )
        (found,) = cursor.fetchone()
    node = found[0]["Plan"]
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])


def plan(board: Any, store: Any) -> None:
    """What Postgres does inside the function, by the statement taken out of it and planned for any parameters."""
    from django.db import connection

    from apps.core.transactions import bind
    from benchmarks.data import LARGEST, USER

    with connection.cursor() as cursor, bind(store.project.id):
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE read (recall_reader, int) AS {statement_of(source(cursor))}")
        cursor.execute(
            "SELECT ROW(%s, NULL, a.id, a.name, %s, s.id, s.external_id, ARRAY['public', 'internal', 'personal'], NULL, NULL,"
            " NULL, '', NULL, NULL, now(), false)::recall_reader::text FROM tenancy_agent a, tenancy_subject s"
            " WHERE a.name = %s AND s.external_id = %s",
            [store.project.id, store.project.slug, LARGEST, USER],
        )
        (reader,) = cursor.fetchone()
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE read (%s::recall_reader, 50)", [reader])
        (found,) = cursor.fetchone()
        cursor.execute("DEALLOCATE read")
    nodes = [node for node in walk(found[0]["Plan"]) if node["Actual Loops"] > 0]
    scans = [node for node in nodes if node.get("Relation Name", "").startswith("facts_")]
    shown = ", ".join(f"{node['Node Type']} {node.get('Index Name', '')}".strip() for node in scans)
    legs = [node for node in scans if node["Node Type"] == "Index Only Scan"]
    board.check("no part is read whole", all(node["Node Type"] != "Seq Scan" for node in scans), found=shown)
    used = {node.get("Index Name") for node in legs}
    board.check("each of four parts along a hot index alone", len(legs) == 4 and used == HOT, found=shown)
    merged = [node for node in nodes if node["Node Type"] == "Merge Append"]
    board.check("merged as they come, not sorted", len(merged) == 1, found=", ".join(n["Node Type"] for n in nodes))
    board.note("rows of facts fetched beside the indexes", sum(int(node.get("Heap Fetches", 0)) for node in legs))


def source(cursor: Any) -> str:
    cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = 'serve_flat'")
    (text,) = cursor.fetchone()
    return str(text)


def statement_of(body: str) -> str:
    """The query that reads the facts in `serve_flat`, with parameters in place of its variables."""
    begin, end = "SELECT '{\"facts\":['", "FROM hot_facts(r, at_most) h"
    query = begin + body.split(begin, 1)[1].split("INTO answer", 1)[0] + end
    for variable, mark in ((r"\br\.", "($1)."), (r"\(r, at_most\)", "($1, $2)")):
        query = re.sub(variable, mark, query)
    return query


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node] + [inner for child in node.get("Plans", []) for inner in walk(child)]


def slope(points: list[tuple[int, float]]) -> float:
    """Of the line nearest to (log facts, log buffers); 0 for one point."""
    xs, ys = [math.log(size) for size, _ in points], [math.log(cost) for _, cost in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((a - x) ** 2 for a in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / across if across else 0.0


if __name__ == "__main__":
    sys.exit(main())
