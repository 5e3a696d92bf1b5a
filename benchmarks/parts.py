"""What each part of a read of facts costs the database: the function that answers it with parts cut out, one at a time.

An agent's, the project's and one user's facts, 50 of 10,000 (``--facts``). A round asks each variant for the same five
reads in a row, in an order drawn anew; what is shown is the lower quartile of the rounds, which a busy neighbour moves
least: the CPU of the database's process in microseconds a read, beside the whole. The call that does nothing is the
protocol, the caller's wake-up and the function's settings, so that the rest is the read's own.

Goal: the whole read at most 16 calls that do nothing. ``--control`` drops the indexes of the hot read, and must fail.
"""

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

GOAL, ROUNDS, WARM, IN_A_ROW = 16.0, 400, 20, 5
FACTS, TOLD, TWINS, LEDGER, END = (
    "    SELECT '{\"facts\":[' || coalesce(string_agg(",
    "    INTO answer, ids, told, apart FROM hot_facts(r, at_most) h;\n",
    "    IF NOT apart THEN\n",
    "    -- As in `record_read`; a person who looks leaves none.\n",
    "    RETURN answer;\n",
)
DISTINCT = "count(DISTINCT h.norm_hash) = count(*) AND count(DISTINCT h.loose_hash) = count(*)"
NOTHING_TOLD = "    answer := '{\"facts\":[]}'; ids := '{}'; told := 0; apart := true;\n"
INTO_LEDGER = "INSERT INTO recall_readledger\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="drop the hot indexes; the run must then fail")
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    board = Board()
    with migrated():
        from django.db import connections

        from benchmarks.data import Store

        store = Store.make(options.seed)
        store.grow(options.facts)
        with connections["owner"].cursor() as owner:
            owner.execute("SELECT pg_get_functiondef('serve_flat'::regproc)")
            (whole,) = owner.fetchone()
            owner.execute("SELECT 'recall_readledger_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')")
            (partition,) = owner.fetchone()
            bodies = variants(whole, partition)
            for number, body in enumerate(bodies.values()):
                owner.execute(body.replace("serve_flat(", f"serve_flat_{number}(", 1))
            if options.control:
                owner.execute("DROP INDEX facts_hot_agent_idx, facts_hot_project_idx, facts_hot_user_idx")
        spent = measure(store, list(bodies), options.rounds, options.seed)
        middle = {name: quantiles(values, n=4)[0] for name, values in spent.items()}
        for name, value in middle.items():
            board.note(name, value, unit="us")
            board.note("  of the whole", value / middle["whole"])
        board.at_most("the whole read, in calls that do nothing", middle["whole"] / middle["nothing"], GOAL)
        write("parts", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def variants(whole: str, partition: str) -> dict[str, str]:
    """The function with parts cut out, by what is left or away. Raises SystemExit when it is no longer as it is cut here."""
    for mark in (FACTS, TOLD, TWINS, LEDGER, END, DISTINCT, INTO_LEDGER):
        if whole.count(mark) != 1:
            raise SystemExit(f"serve_flat has no longer exactly one of: {mark.strip()}")
    bound = whole.index("    bound := ")
    who = whole.index("    SELECT the_project, the_key, a.id")
    facts, told, ledger, end = (whole.index(mark) for mark in (FACTS, TOLD, LEDGER, END))
    unrecorded = whole[:ledger] + whole[end:]
    untold = whole[:facts] + NOTHING_TOLD + whole[told + len(TOLD) :]
    return {
        "whole": whole,
        "without the ledger row": unrecorded,
        "ledger row put into the month's partition by name": whole.replace(INTO_LEDGER, f"INSERT INTO {partition}\n"),
        "without the look for what is said twice": whole.replace(DISTINCT, "true"),
        "facts counted and not told": whole[:facts]
        + "    SELECT '{\"facts\":[]}', '{}'::bigint[], 0 * count(*), true\n"
        + whole[told:],
        "without the facts": untold,
        "who asks, and no more": untold[: untold.index(LEDGER)] + untold[untold.index(END) :],
        "bound, and no more": whole[:who] + NOTHING_TOLD + whole[end:],
        "nothing": whole[:bound] + NOTHING_TOLD + whole[end:],
    }


def measure(store: Any, names: list[str], rounds: int, seed: int) -> dict[str, list[float]]:
    """Microseconds of CPU of the database a read, by variant, a round each."""
    from django.db import connections

    from apps.core.prepared import OneValue
    from apps.recall import queries

    plain = queries.READ_FLAT
    statements = {
        name: OneValue(f"part_{number}", plain.sql.replace("serve_flat(", f"serve_flat_{number}("))
        for number, name in enumerate(names)
    }
    connections["default"].ensure_connection()
    count = Path(f"/proc/{connections['default'].connection.info.backend_pid}/schedstat")
    spent: dict[str, list[float]] = {name: [] for name in names}
    chosen = random.Random(seed)
    read: Callable[[], bytes | None] = store.read
    try:
        for number in range(WARM + rounds):
            for name in chosen.sample(names, len(names)):
                queries.READ_FLAT = statements[name]
                before = int(count.read_text().split()[0])
                for _ in range(IN_A_ROW):
                    read()
                if number >= WARM:
                    spent[name].append((int(count.read_text().split()[0]) - before) / 1000 / IN_A_ROW)
    finally:
        queries.READ_FLAT = plain
    return spent


if __name__ == "__main__":
    sys.exit(main())
