"""What the filters and the row security of each view are worth: with either one the other's absence leaks nothing, and with
neither these tests see it, view by view."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from django.http import HttpResponse
from pytest_django import DjangoDbBlocker

from tests.api.helpers import get
from tests.conftest import own_database
from tests.faults.scale import report
from tests.isolation.mutating import open_functions, undone, without_filters, without_row_security
from tests.isolation.swapping import (
    NAMING,
    NOBODY,
    Asked,
    Request,
    ask_console,
    foreign_values,
    leaks,
    nobodys,
    parts_of,
    swapped,
)
from tests.isolation.world import Tenant, api_reads, tenants
from tests.routes import CONSOLE

CONSOLE_VIEWS = [
    (route, method)
    for route, methods in CONSOLE.items()
    if route.startswith(("p/<slug:slug>", "next/"))
    for method in methods
]
SILENT = {
    "GET": """
        ~ ~/seen ~/undo/<uuid:change_id> ~/go ~/jobs ~/pulse ~/facts/views ~/facts/views/<int:view_id>
        ~/facts/views/<int:view_id>/delete ~/facts/bulk ~/facts/<int:fact_id>/forget ~/facts/duplicates/keep
        ~/dreams/new ~/review/batch ~/subjects/<int:subject_id>/aliases
        ~/subjects/<int:subject_id>/aliases/<int:alias_id>/remove ~/traces/<str:trace_id>/preview
        ~/traces/<str:trace_id>/extract ~/agent-view/case ~/health/retry ~/health/gates/<int:gate_id>/open
        ~/settings/extraction ~/settings/categories ~/settings/categories/add ~/settings/categories/rename
        ~/settings/dreaming ~/settings/recall ~/privacy/new ~/privacy/holds/<int:hold_id>/release
        ~/privacy/<uuid:request_id>/act ~/privacy/<uuid:request_id>/account ~/privacy/<uuid:request_id>/approve
        ~/privacy/<uuid:request_id>/receipt ~/privacy/<uuid:request_id>/receipt.json ~/audit/verify ~/audit/chain
        ~/settings ~/settings/members/invite ~/settings/retention ~/settings/retention/change ~/settings/webhooks/new
        ~/settings/webhooks/<int:webhook_id>/act ~/settings/wipe ~/settings/wipe/ask ~/settings/wipe/approve
        ~/settings/wipe/reopen /v1/auth/check /v1/policy /v1/memory/revocations /v1/privacy/opened
    """,
    "POST": """
        ~/seen ~/undo/<uuid:change_id> ~/facts/masking ~/facts/views ~/facts/views/<int:view_id>
        ~/facts/views/<int:view_id>/delete ~/facts/new ~/facts/<int:fact_id>/forget ~/facts/duplicates/keep
        ~/dreams/new ~/traces/learn ~/health/retry ~/settings/extraction ~/settings/categories/add
        ~/settings/categories/rename ~/settings/categories/retire ~/settings/categories/enable ~/settings/dreaming
        ~/settings/recall ~/privacy/new ~/privacy/<uuid:request_id>/act ~/audit/export ~/audit/verify
        ~/settings/keys/new ~/settings/members/invite ~/settings/retention ~/settings/retention/change
        ~/settings/webhooks/new ~/settings/wipe/ask ~/settings/wipe/approve ~/settings/wipe/reopen
    """,
    "DELETE": """
        /v1/facts/<int:fact_id>
    """,
}
"""What shows and moves nothing of another project even then, by its method; `~` is a project's address. Forms, settings and
figures that read what belongs to their own project by other ways than a comparison of projects, and what makes something
new. Whatever is not named here must be caught."""


@pytest.fixture(scope="module")
def bare(django_db_blocker: DjangoDbBlocker) -> Iterator[list[Tenant]]:
    """Two tenants in a database whose functions keep their filters until the last test opens them."""
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch):
        yield tenants(2)


@dataclass
class Caught:
    view: str
    how: str


def caught(mine: Tenant, theirs: Tenant) -> Iterator[Caught]:
    """Views in which somebody of one project reads or moves what is another's, and what shows it."""
    word, number = theirs.canary, theirs.project.id

    def seen(act: Callable[[], HttpResponse], of_nobody: Callable[[], HttpResponse] | None = None) -> str:
        response, moved = undone(act, number)
        if moved:
            return "a row of the other project moved"
        if response is None or response.status_code >= 500:
            return "it broke: more was found than there is"
        if leaks(response, word):
            return "the other project's canary"
        if of_nobody is not None:
            none, _ = undone(of_nobody, number)
            if none is None or none.status_code != response.status_code:
                return "answered otherwise than what is not there"
        return ""

    for route, method in CONSOLE_VIEWS:
        asked, found = Asked(route, method), ""
        ask = partial(ask_console, mine.browser, asked, mine.project.slug)
        if method == "GET":
            found = seen(partial(ask, mine.values | {"seen": "x"}))
        if parts_of(route) and not found:
            nobody = mine.values | {name: nobodys(name) for name in parts_of(route)} | {"seen": "x"}
            found = seen(partial(ask, swapped(route, mine, theirs.values)), partial(ask, nobody))
        if method == "POST" and not found:
            # What a form names.
            named = ("fact_id", "proposal_id", "view_id", "group_id", "seen")
            found = seen(partial(ask, mine.values | {name: theirs.values[name] for name in named}))
        yield Caught(str(asked), found)
    reads: dict[str, list[str]] = {}
    for one in (mine, theirs):
        for path in api_reads(one):
            name = path.partition("?")[0]
            for part, route in (("facts/", "facts/<int:fact_id>"), ("dreams/", "dreams/<int:run_id>")):
                name = route if name.startswith(part) else name
            reads.setdefault(name, []).append(path)
    for route, paths in reads.items():
        found = ""
        for path in paths:
            found = found or seen(partial(get, path, mine.keys["direct"], prefix="/v1/"))
        for request in [one for one in NAMING.get(route, []) if one.method == "GET"]:
            found = found or swap(seen, request, mine, theirs)
        yield Caught(f"GET /v1/{route}", found)
    for route, requests in NAMING.items():
        for method in sorted({one.method for one in requests} - {"GET"}):
            found = ""
            for request in [one for one in requests if one.method == method]:
                found = found or swap(seen, request, mine, theirs)
            yield Caught(f"{method} /v1/{route}", found)


def swap(seen: Callable[..., str], request: Request, mine: Tenant, theirs: Tenant) -> str:
    values = foreign_values(mine, theirs.values | {"session": f"chat-{theirs.canary}"})
    ask = partial(request.ask, mine.keys["direct"])
    return seen(partial(ask, values), partial(ask, foreign_values(mine, NOBODY)))


def test_filters_hold_where_row_security_is_gone(bare: list[Tenant]) -> None:
    with without_row_security():
        views = list(caught(*bare))
    through = [f"{one.view}: {one.how}" for one in views if one.how]
    report("row security away", views=len(views), leaks=len(through))
    assert through == []


def test_without_both_the_views_are_seen_to_leak(bare: list[Tenant]) -> None:
    functions = open_functions()
    with without_row_security(), without_filters() as opened:
        views = list(caught(*bare))
    found = [one for one in views if one.how]
    report("filters removed", views=f"{len(found)} of {len(views)} caught", functions=functions, filters=opened[0])
    for one in views:
        print(f"{'caught' if one.how else 'silent'}  {one.view}  {one.how}")
    named = {
        f"{method} {path.replace('~', '/p/<slug:slug>')}" for method, paths in SILENT.items() for path in paths.split()
    }
    assert {one.view for one in views} >= named
    assert {one.view for one in views if not one.how} <= named
