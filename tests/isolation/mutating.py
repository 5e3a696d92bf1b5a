"""The two walls around a project, taken down one at a time.

`without_row_security` lets a request see every row, as the owner does; `without_filters` makes every comparison of a
`project_id` with a given project come out true, in what Django and this product's own SQL send and in the functions of the
database.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connections, transaction
from django.http import HttpResponse

from memoryplane.embedded.postgres import OWNER
from tests.isolation.world import Digests
from tests.servers import database_urls

# A column that is compared with a value from outside the statement; one compared with another row's column joins them.
_FILTER = re.compile(
    r'"\w+"\."project_id" (?:= %s|IN \(%s(?:, %s)*\))'
    r"|(?<![\w.\"])(?:\w+\.)?project_id = (?:ANY \()?(?:%s|%\(\w+\)s)(?:::\w+(?:\[\])?)?\)?"
)
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


def undone(act: Callable[[], HttpResponse], theirs: int) -> tuple[HttpResponse | None, bool]:
    """The answer of a request of which nothing stays, None where it broke; and whether a row of the project ``theirs`` moved.
    Only as the owner, who sees them."""
    digests, _statements[0] = Digests(connections["default"]), 0
    with transaction.atomic():
        before = digests.of(theirs)
        response: HttpResponse | None
        try:
            with transaction.atomic():
                response = act()
        except Exception:
            # An open filter finds more rows than one where one is taken for granted: the request does not pass for a good one.
            response = None
        _statements[0] = 0
        moved = digests.of(theirs) != before
        transaction.set_rollback(True)
    return response, moved
