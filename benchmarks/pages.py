"""What each page of the console costs the database as the store grows: SQL statements and shared buffers, which are
counts and not times.

Every page is asked for by a curator as a browser does, through the middleware, session, membership and binding
included. The second request of each counts, when nothing has to be looked up for the first time. Buffers are those of
each statement run under EXPLAIN (ANALYZE, BUFFERS), whatever functions do inside it included.

Goals: at most 8 statements and 300 buffers a page, at 10,000 and 1,000,000 facts alike (``--sizes`` for others);
3 statements and 1,000 buffers for the fragments that count. Page 1,000 of a list costs at most 1.2 times page 1, under
every filter that has so many pages. ``--only facts`` measures the pages whose name begins with that. ``--control`` drops
the indexes of the lists, and must fail.

To add a page: one line in PAGES, its address with ``{…}`` for what the store knows (`Store`), and for a list how the
address of a page deep inside it is made.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

STATEMENTS, BUFFERS, DEEPER = 8, 300, 1.2
COUNTING_STATEMENTS, COUNTING_BUFFERS = 3, 1_000
DEEP = 1_000
LISTS = [
    "facts_fact_list_idx",
    "facts_fact_newest_idx",
    "facts_fact_place_idx",
    "facts_fact_confidence_idx",
    "facts_fact_ends_idx",
]


@dataclass(frozen=True)
class Page:
    """``path`` below /p/<slug>; ``deep`` makes the address of its thousandth page from the client, the path and the
    number, or None where the list is shorter. ``counts`` marks a fragment that only counts; ``target`` is the part that htmx
    asks for."""

    name: str
    path: str
    deep: "Callable[[Any, Any, str, int], str | None] | None" = None
    counts: bool = False
    target: str = ""


@dataclass
class Cost:
    """What one request sent, and of each statement that reads: buffers and text."""

    statements: int = 0
    buffers: int = 0
    parts: list[tuple[int, str]] = field(default_factory=list)


def deep_facts(client: Any, store: Any, path: str, number: int) -> str | None:
    """Page ``number`` of a list of facts: the position is looked up, and the cursor made as the page would make it."""
    from django.db.models.functions import Now
    from django.http import QueryDict

    from apps.console.views.facts.list_page import PAGE
    from apps.console.views.facts.state import list_state
    from apps.core.keyset import encode_cursor
    from apps.core.transactions import bind
    from apps.facts.listing import ORDERS
    from apps.facts.queries import filtered

    seen = ("public", "internal", "personal", "special")
    state = list_state(QueryDict(path.partition("?")[2]))
    order = ORDERS[state.order]
    with bind(store.project.id):
        names = [name.removeprefix("-") for name in order]
        facts = filtered(store.project.id, state.wanted(store.project.id, seen)).order_by(*order)
        if state.order == "ending":
            facts = facts.filter(expires_at__gt=Now())
        before = (number - 1) * PAGE
        position = list(facts.values_list(*names)[before - 1 : before])
    if not position:
        return None
    context = f"{store.project.id} facts {state.but().query()} {','.join(seen)} by {','.join(order)}"
    cursor = encode_cursor(["o", *position[0]], context=context)
    return "/facts" + state.but(cursor=f"{before + 1}.1001.{cursor}").query()


FILTERS = [
    "", "scope=user", "scope=agent", "scope=project", "scope=agent&scope_id=agent-0", "source=learned", "category=policy",
    "category=policy&category=order", "sensitivity=personal", "sensitivity=special", "type=episodic", "status=active",
    "status=superseded", "status=retired", "status=held", "conf_min=0.9", "superseded=1", "served=never", "q=customer",
    "q=refund", "sort=oldest", "sort=unsure", "sort=sure", "sort=ending", "sort=scope",
    "scope=user&source=learned&category=policy", "sort=unsure&category=policy",
]  # fmt: skip
RARE = [
    "scope=user&scope_id=probe",
    "source=dream",
    "q=f3a9b2c",
    "status=expired",
    "expiring=30",
    "status=held&scope=user",
]
"""Lists too short for a page 1,000."""

PAGES = [
    *[Page(f"facts {query or 'whole'}", f"/facts?{query}", deep=deep_facts) for query in FILTERS],
    *[Page(f"facts {query}", f"/facts?{query}") for query in RARE],
    Page("facts counted", "/facts/facets", counts=True),
    Page("facts counted of agents", "/facts/facets?scope=agent&category=policy", counts=True),
    Page("facts counted of one user", "/facts/facets?scope=user&scope_id=probe", counts=True),
    Page("facts counted with words", "/facts/facets?q=f3a9b2c", counts=True),
    Page("review", "/review"),
    Page("subjects", "/subjects"),
    Page("traces", "/traces"),
    Page("agents", "/agents"),
    Page("agent view", "/agent-view?agent=agent-0"),
    Page("time travel", "/time-travel"),
    Page("health", "/health"),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="drop the lists' indexes; the run must then fail")
    parser.add_argument("--sizes", default="10000,1000000", help="facts in all, rising")
    parser.add_argument("--short", action="store_true", help="the sizes 10,000 and 50,000")
    parser.add_argument("--only", default="", help="pages whose name begins with this")
    parser.add_argument("--parts", action="store_true", help="the buffers of each statement too")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sizes = [10_000, 50_000] if options.short else [int(size) for size in options.sizes.split(",")]
    board = Board()
    with migrated():
        from django.db import connections

        from benchmarks.data import Store

        plain_files()
        store = Store.make(options.seed)
        client = curator(store)
        for size in sizes:
            store.grow(size)
            if options.control:
                with connections["owner"].cursor() as owner:
                    owner.execute(f"DROP INDEX IF EXISTS {', '.join(LISTS)} CASCADE")
            print(f"{size:,} facts")
            for page in PAGES:
                if page.name.startswith(options.only):
                    measure(board, client, store, page, parts=options.parts)
        write("pages-short" if options.short else "pages", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def plain_files() -> None:
    """Pages name their files as they are called in static/, because nothing collected them here."""
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": plain}).enable()


def curator(store: Any) -> Any:
    """A browser of somebody who may see every page."""
    from django.test import Client

    from apps.access.actions.grant_role import grant_role
    from tests.factories import make_user, setup_actor

    user = make_user(store.project, "curator")
    for role in ("admin", "privacy_officer"):
        grant_role(actor=setup_actor(store.project), project_id=store.project.id, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def measure(board: Any, client: Any, store: Any, page: Page, *, parts: bool = False) -> None:
    """One page beside its goals, and how much more the thousandth of its list costs."""
    first = cost_of(client, address(store, page.path), page)
    if parts:
        show(first)
    if page.counts:
        own = sum("facts_" in sql for _, sql in first.parts)
        board.at_most(f"{page.name}: statements of its own", own, COUNTING_STATEMENTS)
        board.at_most(f"{page.name}: buffers", first.buffers, COUNTING_BUFFERS)
        return
    board.at_most(f"{page.name}: statements", first.statements, STATEMENTS)
    board.at_most(f"{page.name}: buffers", first.buffers, BUFFERS)
    deep = page.deep(client, store, page.path, DEEP) if page.deep else None
    if deep is not None:
        far = cost_of(client, address(store, deep), page)
        if parts:
            show(far)
        board.at_most(f"{page.name}: page {DEEP:,} / page 1", far.buffers / first.buffers, DEEPER)


def address(store: Any, path: str) -> str:
    return f"/p/{store.project.slug}{path}"


def cost_of(client: Any, url: str, page: Page) -> Cost:
    """Of the second request. Raises SystemExit when the page does not answer."""
    headers = {"HX-Request": "true", "HX-Target": page.target} if page.target else {}
    for _ in range(2):
        with counted() as cost:
            answer = client.get(url, headers=headers)
        if answer.status_code != 200:
            raise SystemExit(f"{url} answered {answer.status_code}")
    return cost


@contextmanager
def counted() -> Iterator[Cost]:
    """Statements as they are sent, and what each touches. Those that set something or open a savepoint touch nothing,
    but count."""
    from django.db import connection

    cost = Cost()

    def explained(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        cost.statements += 1
        first = re.sub(r"\A(\s|--.*\n)+", "", sql)[:6].upper()
        # What writes would write twice: a page that is looked at does not.
        if not many and first.startswith(("SELECT", "WITH")):
            with context["connection"].connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql}", params)
                node = cursor.fetchone()[0][0]["Plan"]
            touched = int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])
            cost.buffers += touched
            cost.parts.append((touched, sql))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explained):
        yield cost


def show(cost: Cost) -> None:
    for touched, sql in cost.parts:
        print(f"    {touched:>6}  {' '.join(sql.split())[:160]}")


if __name__ == "__main__":
    sys.exit(main())
