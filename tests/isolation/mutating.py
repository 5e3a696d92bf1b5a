"""The two walls around a project, taken down one at a time.

`without_row_security` lets a request see every row, as the owner does; `without_filters` makes every comparison of a
`project_id` with a given project come out true, in what Django and this product's own SQL send and in the functions of the
database.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import connections, transaction
from django.http import HttpResponse

from memoryplane.embedded.postgres import OWNER
from tests.isolation.swapping import content_of
from tests.isolation.world import Digests
from tests.servers import database_urls

# A column that is compared with a value from outside the statement; one compared with another row's column joins them.
_FILTER = re.compile(
    r'(?:"\w+"|\b[A-Z]\d+)\."project_id" (?:= %s|IN \(%s(?:, %s)*\))'
    r"|(?<![\w.\"])(?:\w+\.)?project_id = (?:ANY \()?(?:%s|%\(\w+\)s)(?:::\w+(?:\[\])?)?\)?"
)
_MEMBER = re.compile(r'"access_membership"\."user_id" = %s')
_INSIDE = re.compile(
    r"(?<![).\w])(?:\w+\.|\(\w+\.\w+\)\.)?project_id = (?:r\.project|the_project|project|bound|\$1|\(\$1\)\.\w+)\b(?!\.)"
)


def opened(sql: str) -> tuple[str, int]:
    """The statement with its filters open, and how many it had. What is written into a column stays."""
    begin = sql.upper().find(" WHERE ") if sql.lstrip().upper().startswith(("UPDATE", "INSERT")) else 0
    if begin < 0:
        return sql, 0
    rest, count = _FILTER.subn(lambda found: f"(true OR {found[0]})", sql[begin:])
    return sql[:begin] + rest, count


@contextmanager
def without_row_security() -> Iterator[None]:
    wrapper = connections["default"]
    before = wrapper.settings_dict["USER"]
    wrapper.close()
    wrapper.settings_dict["USER"] = OWNER
    try:
        yield
    finally:
        wrapper.close()
        wrapper.settings_dict["USER"] = before


MOST_STATEMENTS = 1_000
"""A loop that goes on until nothing is found has no end without its filter."""


class Endless(Exception):
    """A request sends more statements than any does."""


_statements = [0]


@contextmanager
def without_filters() -> Iterator[list[int]]:
    """Yields a list with the number of filters opened so far."""
    seen = [0]

    def rewrite(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        changed, count = opened(sql)
        seen[0] += count
        _statements[0] += 1
        if _statements[0] > MOST_STATEMENTS:
            raise Endless
        return execute(changed, params, many, context)

    with connections["default"].execute_wrapper(rewrite):
        yield seen


@contextmanager
def without_door() -> Iterator[None]:
    """Whoever is a member of any project passes for a member of each: nobody asks whose membership it is."""

    def rewrite(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        return execute(_MEMBER.sub("(true OR \\g<0>)", sql), params, many, context)

    with connections["default"].execute_wrapper(rewrite):
        yield


def open_functions() -> int:
    """Open the filters inside the database's own functions, for good; how many functions had some."""
    name = str(connections["default"].settings_dict["NAME"])
    changed = 0
    with psycopg.connect(database_urls(name)["DATABASE_URL"], autocommit=True) as owner:
        found = owner.execute(
            "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE prokind = 'f' AND pronamespace = 'public'::regnamespace"
            " AND prorettype <> 'trigger'::regtype AND prosrc LIKE '%project_id = %'"
        ).fetchall()
        for (definition,) in found:
            head, mark, body = definition.partition("$function$")
            opened_body, count = _INSIDE.subn(lambda hit: f"(true OR {hit[0]})", body)
            if count:
                owner.execute(head + mark + opened_body)
                changed += 1
    return changed


@dataclass(frozen=True)
class Done:
    """A request of which nothing stays: what was answered, `status` 0 where it broke; whether a row of the other project
    ``moved``; and by how many rows each table of the own one had ``grown``."""

    status: int
    head: str
    body: str
    moved: bool
    grown: dict[str, int]

    def holds(self, word: str) -> bool:
        return word in self.head or word in self.body


def undone(act: Callable[[], HttpResponse], own: int, theirs: int) -> Done:
    """Ask, look and take it back. Only as the owner, who sees the rows of both projects."""
    digests, _statements[0] = Digests(connections["default"]), 0
    status, head, body = 0, "", ""
    with transaction.atomic():
        before = digests.of(own, theirs)
        try:
            with transaction.atomic():
                response = act()
                body = content_of(response)
            status = response.status_code
            head = "\n".join(f"{name}: {value}" for name, value in response.headers.items()) + str(response.cookies)
        except Exception:
            # An open filter finds more rows than one where one is taken for granted: the request does not pass for a good one.
            status = 0
        _statements[0] = 0
        after = digests.of(own, theirs)
        transaction.set_rollback(True)
    both = before.keys() | after.keys()
    moved = any(before.get(one) != after.get(one) for one in both if one[1] == theirs)
    counts = {one[0]: after.get(one, (0, 0))[0] - before.get(one, (0, 0))[0] for one in both if one[1] == own}
    return Done(status, head, body, moved, {table: count for table, count in counts.items() if count})
