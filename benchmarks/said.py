"""What a list in the order in which facts were said (`order=said`, which a FactStore client asks for) touches as the store
grows: shared buffers of a page of 50, which are counts and not times.

Lists of each kind a key can ask for: of one agent, of one user, of the project, of all agents, of every user, of every open
scope at once. At 10,000 and 100,000 facts (``--sizes`` for others). Goals: at most 400 buffers a page (of all open scopes the
first rows of each are found along its index and fetched by their keys), and what is over 100 grows by no more than half over
tenfold. ``--control`` drops the indexes of that order, and must fail.
"""

import argparse
import sys
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

MOST, GROWTH, SMALL_PAGE = 400, 1.5, 100
INDEXES = ["facts_fact_said_idx", "facts_fact_all_said_idx"]


def kinds(store: Any) -> "dict[str, tuple[Any, Any]]":
    """Name: the reader and what he wants."""
    from apps.facts.queries import FactFilter
    from apps.recall.listing import Wanted
    from apps.recall.queries import reader_for
    from benchmarks.data import LARGEST, SMALL, USER

    def asked(user: str | None = None, writer: str = "key:1", **more: Any) -> tuple[Any, Any]:
        names = {name: more.pop(name) for name in ("scope", "scope_id") if name in more}
        reader = reader_for(store.key, "", user, None)
        return reader, Wanted(filter=FactFilter(**names), by_said=True, keyed=False, writer=writer, **more)

    return {
        "of an agent with many": asked(scope="agent", scope_id=LARGEST),
        "of an agent with few": asked(scope="agent", scope_id=SMALL),
        "through an agent": asked(agent=SMALL),
        "of a user": asked(USER, scope="user", scope_id=USER),
        "of the project": asked(scope="project"),
        "of all agents": asked(scope="agent"),
        "of every user": asked(scope="user", everybody=True),
        "of every open scope": asked(),
        "of one who only reads": asked(writer=""),
        "of all agents, current": asked(scope="agent", status="current"),
        "of an agent with few, current": asked(scope="agent", scope_id=SMALL, status="current"),
        "of every open scope, current": asked(status="current"),
    }


def buffers(reader: Any, wanted: Any) -> tuple[int, str]:
    """Of the statement that fetches the second page, and what it walks."""
    from django.db import connection

    from apps.recall.listing import list_facts

    found: list[tuple[int, str]] = []

    def explained(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "ORDER BY" in sql and "observed_at" in sql:
            with connection.cursor() as cursor:
                raw = cursor.cursor
                raw.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                ((plan,),) = raw.fetchone()
            found.append((_blocks(plan["Plan"]), _walks(plan["Plan"])))
        return execute(sql, params, many, context)

    first = list_facts(reader, wanted, cursor=None, limit=50, count=False)
    with connection.execute_wrapper(explained):
        list_facts(reader, wanted, cursor=first.page.older, limit=50, count=False)
    return found[-1]


def _blocks(plan: dict[str, Any]) -> int:
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def _walks(plan: dict[str, Any]) -> str:
    own = f"{plan['Node Type']} {plan.get('Index Name', '')}".strip()
    return " < ".join([own, *(_walks(part) for part in plan.get("Plans", []))])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="drop the indexes of the order; the run must then fail")
    parser.add_argument("--sizes", default="10000,100000", help="facts in all, rising")
    options = parser.parse_args()
    board = Board()
    with migrated():
        from django.db import connections

        from benchmarks.data import Store

        store = Store.make()
        before: dict[str, int] = {}
        for size in map(int, options.sizes.split(",")):
            store.grow(size)
            if options.control:
                with connections["owner"].cursor() as owner:
                    owner.execute(f"DROP INDEX IF EXISTS {', '.join(INDEXES)}")
            print(f"{size:,} facts")
            for name, (reader, wanted) in kinds(store).items():
                blocks, walked = buffers(reader, wanted)
                board.at_most(f"buffers {name}", blocks, MOST)
                if name in before and blocks > SMALL_PAGE:
                    board.at_most("  times what it was", blocks / before[name], GROWTH)
                if blocks > MOST:
                    print(f"    {walked}")
                before[name] = max(blocks, 1)
        write("said", board, 7, control=options.control)
    return int(board.failed)


if __name__ == "__main__":
    sys.exit(main())
