"""What each page of the console costs the database as the store grows: SQL statements and shared buffers, which are
counts and not times.

Every page is asked for by a curator as a browser does, through the middleware, session, membership and binding
included. The second request of each counts, when nothing has to be looked up for the first time. Buffers are those of
each statement run under EXPLAIN (ANALYZE, BUFFERS), whatever functions do inside it included.

Goals: at most 8 statements and 300 buffers a page, at 10,000 and 1,000,000 facts alike (``--sizes`` for others);
3 statements and 1,000 buffers for the fragments that count, 1,200 buffers for those that look for more by themselves; what ranks
the candidates of a question costs what the agent's read does, and is printed without a goal. Page 1,000 of a list costs at most 1.2 times page 1, under
every filter; of a list that is shorter it is the last full page. ``--only facts`` measures the pages whose name begins
with that. ``--keep FOLDER`` leaves the store there and finds it again. ``--control`` drops the indexes of the lists, and
must fail.

To add a page: one line in PAGES, its address with ``{…}`` for what stands in the store (`Around.values`).
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

STATEMENTS, BUFFERS, DEEPER = 8, 300, 1.2
COUNTING_STATEMENTS, COUNTING_BUFFERS = 3, 1_000
PART_BUFFERS = 1_200
DEEP = 1_000
WRITES = re.compile(r"\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\w+\s+(AS\s+\w+\s+|\w+\s+)?SET)\b")
LISTS = [
    "facts_fact_list_idx",
    "facts_fact_newest_idx",
    "facts_fact_place_idx",
    "facts_fact_confidence_idx",
    "facts_fact_ends_idx",
    "traces_trace_list_idx",
    "curation_conflict_open_idx",
    "curation_group_alike_idx",
    "audit_event_seq_uniq",
]


@dataclass(frozen=True)
class Page:
    """``path`` below /p/<slug>, or from the root where it begins with "//". ``deep``: it is a list, whose thousandth page is
    looked at too. ``counts`` marks a fragment that only counts, ``part`` another that loads by itself; ``ranks`` one that ranks
    what answers a question, as an agent's read does; ``target`` is the part that htmx asks for."""

    name: str
    path: str
    deep: bool = False
    counts: bool = False
    part: bool = False
    ranks: bool = False
    target: str = ""


@dataclass
class Cost:
    """What one request sent, and of each statement that reads: buffers and text."""

    statements: int = 0
    buffers: int = 0
    parts: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Walk:
    """What a page asked `keyset_page` for last: rows, their order, how many a page has, and whose cursor it is."""

    rows: Any = None
    order: tuple[str, ...] = ()
    limit: int = 0
    context: str = ""

    def cursor(self, project_id: int, number: int) -> tuple[int, str]:
        """The number of the page that is reached, ``number`` or the last full one, and the cursor that leads there; 0 where
        there is no second one."""
        from apps.core.keyset import encode_cursor
        from apps.core.transactions import bind

        names = [name.removeprefix("-") for name in self.order]
        with bind(project_id):
            there = self.rows.order_by(*self.order).values_list(*names)[: number * self.limit]
            reached = min(number, there.count() // self.limit)
            if reached < 2:
                return 0, ""
            last = (reached - 1) * self.limit
            (position,) = there[last - 1 : last]
        return reached, encode_cursor(["o", *position], context=f"{self.context} by {','.join(self.order)}")


walk = Walk()


FILTERS = [
    "", "scope=user", "scope=agent", "scope=project", "scope=agent&scope_id=agent-0", "source=learned", "category=policy",
    "category=policy&category=order", "sensitivity=personal", "sensitivity=special", "type=episodic", "status=active",
    "status=superseded", "status=retired", "status=held", "conf_min=0.9", "superseded=1", "served=never", "served=30", "q=customer",
    "q=refund", "sort=oldest", "sort=unsure", "sort=sure", "sort=ending", "sort=scope", "sort=served",
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
    *[Page(f"facts {query or 'whole'}", f"/facts?{query}", deep=True) for query in FILTERS],
    *[Page(f"facts {query}", f"/facts?{query}", deep=True) for query in RARE],
    Page("facts, one open", "/facts?open={told}"),
    Page("facts counted", "/facts/facets", counts=True),
    Page("facts counted of agents", "/facts/facets?scope=agent&category=policy", counts=True),
    Page("facts counted of one user", "/facts/facets?scope=user&scope_id=probe", counts=True),
    Page("facts counted with words", "/facts/facets?q=f3a9b2c", counts=True),
    Page("fact", "/facts/{told}"),
    Page("fact of many versions", "/facts/{versions}"),
    Page("fact, history", "/facts/{told}/history"),
    Page("fact, history of many versions", "/facts/{versions}/history"),
    Page("fact, edit", "/facts/{told}/edit"),
    Page("fact, forget", "/facts/{told}/forget"),
    Page("fact, new", "/facts/new"),
    Page("facts, views", "/facts/views"),
    *[Page(f"review {query or 'whole'}", f"/review?{query}", deep=True) for query in [
        "", "flag=personal", "flag=none", "flag=no_subject", "from=0.9", "to=0.4", "origin=api", "scope=user", "scope=agent",
        "show=mine", "show=held", "show=snoozed", "agent={agent}", "group=subject", "group=kind", "state=applied", "state=rejected",
        "state=applied&days=30", "state=rejected&origin=api", "id=user-1", "scope=user&id=user-1", "flag=personal&group=subject",
    ]],
    Page("review, one open", "/review?open={waiting}"),
    Page("proposal", "/review/{waiting}"),
    Page("proposal, decided", "/review/{decided}"),
    Page("proposal, near in meaning", "/review/{waiting}/meaning", part=True, target="meant"),
    Page("conflicts", "/conflicts", deep=True),
    Page("conflicts settled", "/conflicts?state=settled", deep=True),
    Page("conflicts about one attribute", "/conflicts?q=attribute-16", deep=True),
    Page("conflicts of one user", "/conflicts?q=user-1", deep=True),
    Page("conflict", "/conflicts/{conflict}"),
    Page("conflict, settled", "/conflicts/{settled}"),
    Page("duplicates", "/facts/duplicates", deep=True),
    Page("duplicates, same text", "/facts/duplicates?kind=text", deep=True),
    Page("duplicates, same meaning", "/facts/duplicates?kind=meaning", deep=True),
    Page("duplicates, less alike", "/facts/duplicates?alike=.8", deep=True),
    Page("duplicates, one open", "/facts/duplicates?open={group}"),
    Page("duplicate group", "/facts/duplicates/{group}"),
    Page("subjects", "/subjects", deep=True),
    Page("subjects by name", "/subjects?sort=name", deep=True),
    Page("subjects called", "/subjects?q=user-1", deep=True),
    Page("subjects called by an alias", "/subjects?q=alias-2", deep=True),
    *[Page(f"subject {tab}", f"/subjects/{{probe}}?tab={tab}", deep=True) for tab in
      ["now", "pending", "history", "traces", "served"]],
    *[Page(f"traces {query or 'whole'}", f"/traces?{query}", deep=True) for query in [
        "", "agent=agent-0", "agent=agent-0&agent=agent-1500", "user=user-1", "user=probe", "session=session-7", "state=waiting",
        "state=failing", "state=dead", "state=mined", "learned=1", "learned=1&agent=agent-0", "since=2020-01-01&until=2090-01-01",
        "q=ab", "agent=agent-0&state=mined&learned=1",
    ]],
    *[Page(f"trace {tab}", f"/traces/{{trace}}?tab={tab}") for tab in ["talk", "produced", "memory", "runs", "spans"]],
    *[Page(f"long trace {tab}", f"/traces/{{long}}?tab={tab}") for tab in ["talk", "produced", "memory", "runs", "spans"]],
    Page("agents", "/agents", deep=True),
    Page("agents called", "/agents?q=agent-1", deep=True),
    *[Page(f"agent {tab}", f"/agents/{{agent}}?tab={tab}") for tab in ["told", "reads", "definition", "keys"]],
    Page("agent view", "/agent-view?agent=agent-0"),
    Page("agent view for a user", "/agent-view?agent=agent-0&user=probe"),
    Page("agent view of a small agent", "/agent-view?agent=agent-1500"),
    *[Page(f"agent view, why{name}", f"/agent-view?agent={query}", part=True, target="why") for name, query in [
        ("", "agent-0"), (" for a user", "agent-0&user=probe"), (" of a small agent", "agent-1500"),
    ]],
    Page("agent view, asked", "/agent-view?agent=agent-0&q=refund+case", ranks=True),
    Page("agent view, why, asked", "/agent-view?agent=agent-0&q=refund+case", ranks=True, target="why"),
    Page("time travel", "/time-travel"),
    *[Page(f"time travel {show or 'held'}", f"/time-travel?at={{moment}}&show={show}", deep=True) for show in ["", "added", "replaced", "ended"]],
    Page("time travel for an agent", "/time-travel?at={moment}&agent=agent-0", deep=True),
    Page("time travel for an agent and a user", "/time-travel?at={moment}&agent=agent-0&user=probe", deep=True),
    Page("time travel, reads", "/time-travel?at={moment}&show=read&agent=agent-0"),
    Page("audit", "/audit", deep=True),
    *[Page(f"audit {query}", f"/audit?{query}", deep=True) for query in [
        "actor=user:{member}", "actor=system", "verb=facts.add", "result=denied", "q={told}",
        "since=2020-01-01&until=2090-01-01", "actor=user:{member}&verb=facts.add", "verb=facts.add&result=denied",
    ]],
    Page("audit, one open", "/audit?open={event}"),
    Page("health", "/health"),
    Page("health, 90 days", "/health?days=90"),
    Page("overview", ""),
    Page("overview, 90 days", "?days=90"),
    Page("home", "//"),
    Page("find", "/go?q=user-1&all=1"),
    Page("pulse", "/pulse"),
    Page("jobs", "/jobs"),
    Page("me", "//me"),
    Page("privacy", "/privacy", deep=True),
    Page("privacy, ended", "/privacy?show=done", deep=True),
    Page("privacy, one kind", "/privacy?kind=access", deep=True),
    Page("privacy, about one person", "/privacy?q=somebody"),
    Page("privacy request", "/privacy/{request}"),
    Page("privacy request, ended", "/privacy/{ended}"),
    Page("privacy, new", "/privacy/new"),
    Page("holds", "/privacy/holds"),
    *[Page(f"dreams {query or 'whole'}", f"/dreams?{query}", deep=True) for query in [
        "", "state=proposed", "state=done", "state=failed", "origin=schedule", "scope=user", "scope=user&id=probe", "scope=agent",
        "state=proposed&origin=schedule&scope=user",
    ]],
    Page("dream, to decide", "/dreams/{dream}", deep=True),
    Page("dream, one group", "/dreams/{dream}?group=retired", deep=True),
    Page("dream, decided", "/dreams/{settled_dream}"),
    Page("dream, new", "/dreams/new?scope=user&id=probe"),
    Page("settings, keys", "/settings/keys", deep=True),
    Page("settings, members", "/settings/members", deep=True),
    Page("settings, one member", "/settings/members/{member}"),
    Page("settings, extraction", "/settings/extraction"),
    Page("settings, recall", "/settings/recall"),
    Page("settings, retention", "/settings/retention"),
    Page("settings, categories", "/settings/categories"),
    Page("settings, a category renamed", "/settings/categories/rename?name=policy"),
    Page("settings, dreaming", "/settings/dreaming"),
    Page("settings, new key", "/settings/keys/new"),
    Page("settings, a key rolled", "/settings/keys/{key}/roll"),
    Page("settings, invitation", "/settings/members/invite"),
    Page("settings, wipe", "/settings/wipe"),
    Page("sessions", "/sessions", deep=True),
    Page("sessions called", "/sessions?q=session-1", deep=True),
    Page("session", "/sessions/{session}"),
    Page("traces to learn from", "/traces/learn"),
    Page("traces to learn from, counted", "/traces/learn", part=True, target="owed"),
]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="drop the lists' indexes; the run must then fail")
    parser.add_argument("--sizes", default="10000,1000000", help="facts in all, rising")
    parser.add_argument("--short", action="store_true", help="the sizes 10,000 and 50,000")
    parser.add_argument("--only", default="", help="pages whose name begins with this, or one of these after commas")
    parser.add_argument("--parts", action="store_true", help="the buffers of each statement too")
    parser.add_argument("--keep", type=Path, help="a folder in which the store stays")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sizes = [10_000, 50_000] if options.short else [int(size) for size in options.sizes.split(",")]
    board = Board()
    with migrated(options.keep):
        from django.db import connections

        plain_files()
        record_walks()
        store, around = found(options.keep) or made(options.seed)
        client = curator(around.member)
        for size in sizes:
            if store.size < size:
                store.grow(size)
                keep(options.keep, store, around)
            if around.size < size:
                around.grow(size)
            keep(options.keep, store, around)
            if options.control:
                with connections["owner"].cursor() as owner:
                    owner.execute("ALTER TABLE audit_auditevent DROP CONSTRAINT IF EXISTS audit_event_seq_uniq")
                    owner.execute(f"DROP INDEX IF EXISTS {', '.join(LISTS)} CASCADE")
            print(f"{size:,} facts")
            values = around.values
            for page in PAGES:
                if page.name.startswith(tuple(options.only.split(","))):
                    measure(board, client, store, page, values, parts=options.parts)
        write("pages-short" if options.short else "pages", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def made(seed: int) -> tuple[Any, Any]:
    """A project without a fact, and who looks at it: somebody who may see every page."""
    from apps.access.actions.grant_role import grant_role
    from benchmarks.around import Around
    from benchmarks.data import Store
    from tests.factories import make_project, make_user, setup_actor

    store = Store.make(seed)
    user = make_user(store.project, "curator")
    for role in ("admin", "privacy_officer"):
        grant_role(actor=setup_actor(store.project), project_id=store.project.id, user=user, role=role)
    other = make_project("beside")
    grant_role(actor=setup_actor(other), project_id=other.id, user=user, role="curator")
    return store, Around(store, user.id)


def keep(folder: Path | None, store: Any, around: Any) -> None:
    """Write down what the store in ``folder`` is."""
    if folder:
        known = [store.project.id, store.key.id, store.text, store.seed, store.size, around.member, around.size]
        (folder / "store.json").write_text(json.dumps(known))


def found(folder: Path | None) -> tuple[Any, Any] | None:
    """The store that an earlier run left."""
    from apps.access.models import ApiKey
    from apps.tenancy.models import Project
    from benchmarks.around import Around
    from benchmarks.data import Store

    if folder is None or not (folder / "store.json").exists():
        return None
    project, key, text, seed, size, member, around_size = json.loads((folder / "store.json").read_text())
    store = Store(Project.objects.get(id=project), ApiKey.objects.get(id=key), text, seed, size)
    return store, Around(store, member, around_size)


def record_walks() -> None:
    """Every page that is paged goes through one function: what it was asked for last is kept in `walk`."""
    import apps.core.keyset as keyset
    import memoryplane.urls  # noqa: F401  (imports every page)

    page = keyset.keyset_page

    def recorded(queryset: Any, **asked: Any) -> Any:
        rows = queryset
        if asked.get("scattered"):
            first, *others = (one.order_by().values("pk") for one in asked["any_of"])
            rows = queryset.filter(pk__in=first.union(*others))
        for end, bound in zip(("gte", "lt"), asked.get("between", (None, None)), strict=True):
            if bound is not None:
                rows = rows.filter(**{f"{asked['order'][0].removeprefix('-')}__{end}": bound})
        walk.rows, walk.order, walk.limit, walk.context = (
            rows,
            tuple(asked["order"]),
            asked["limit"],
            asked["context"],
        )
        return page(queryset, **asked)

    for module in list(sys.modules.values()):
        if getattr(module, "keyset_page", None) is page:
            module.keyset_page = recorded  # type: ignore[attr-defined]


def plain_files() -> None:
    """Pages name their files as they are called in static/, because nothing collected them here."""
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": plain}).enable()


def curator(user_id: int) -> Any:
    """A browser of somebody who signed in."""
    from django.test import Client

    from apps.access.models import User

    client = Client()
    client.force_login(User.objects.get(id=user_id))
    return client


def give_password(client: Any) -> None:
    """Again before each page: all of them together take longer than a password is fresh for."""
    from apps.access.models import User
    from tests.console import stage

    stage.give_password(client, User.objects.get(id=client.session["_auth_user_id"]))


def measure(board: Any, client: Any, store: Any, page: Page, values: dict[str, Any], *, parts: bool = False) -> None:
    """One page beside its goals, and how much more the thousandth of its list costs."""
    url = address(page.path, values)
    walk.rows = None
    give_password(client)
    first = cost_of(client, url, page)
    if parts:
        show(first)
    if page.counts:
        own = sum("facts_" in sql for _, sql in first.parts)
        board.at_most(f"{page.name}: statements of its own", own, COUNTING_STATEMENTS)
        board.at_most(f"{page.name}: buffers", first.buffers, COUNTING_BUFFERS)
        return
    board.at_most(f"{page.name}: statements", first.statements, STATEMENTS)
    if page.ranks:
        board.note(f"{page.name}: buffers", first.buffers)
        return
    board.at_most(f"{page.name}: buffers", first.buffers, PART_BUFFERS if page.part else BUFFERS)
    number, cursor = walk.cursor(store.project.id, DEEP) if page.deep and walk.rows is not None else (0, "")
    if number:
        # The list of facts has the number of its first row and the count before the cursor.
        said = f"{(number - 1) * walk.limit + 1}.1001.{cursor}" if "/facts?" in url else cursor
        far = cost_of(client, f"{url}{'&' if '?' in url else '?'}cursor={said}", page)
        if parts:
            show(far)
        board.at_most(f"{page.name}: page {number:,} / page 1", far.buffers / first.buffers, DEEPER)


def address(path: str, values: dict[str, Any]) -> str:
    path = path.format(**values)
    return path[1:] if path.startswith("//") else f"/p/{values['slug']}{path}"


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
        # What writes would write twice, as that somebody reads the log does with the first page of it.
        if not many and first.startswith(("SELECT", "WITH")) and not WRITES.search(sql):
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
