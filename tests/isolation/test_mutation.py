"""What the filters and the row security of each view are worth: with either one the other's absence leaks nothing, and with
neither these tests see it, view by view."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from django.http import HttpResponse
from pytest_django import DjangoDbBlocker

from tests.api.helpers import get
from tests.conftest import own_database
from tests.faults.scale import report
from tests.isolation.mutating import open_functions, undone, without_filters, without_row_security
from tests.isolation.swapping import NAMING, Asked, ask_console, foreign_values, leaks, parts_of, swapped
from tests.isolation.world import Tenant, api_reads, tenants
from tests.routes import CONSOLE

CONSOLE_VIEWS = [
    (route, method)
    for route, methods in CONSOLE.items()
    if route.startswith(("p/<slug:slug>", "next/"))
    for method in methods
]
SEEN_AT_LEAST = 80
"""Views that show or move something by its project's filter alone; the others are forms, figures of their own project, and
what makes something new in it."""


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

    def seen(response: HttpResponse | None, moved: bool) -> str:
        if moved:
            return "a row of the other project moved"
        if response is None:
            return ""
        return "the other project's canary" if leaks(response, word) else ""

    for route, method in CONSOLE_VIEWS:
        asked, found = Asked(route, method), ""
        tries = [mine.values | {"seen": "x"}] if method == "GET" else []
        tries += [swapped(route, mine, theirs.values)] if parts_of(route) else []
        if method == "POST":
            # What a form names.
            tries.append(mine.values | {name: theirs.values[name] for name in ("fact_id", "proposal_id", "seen")})
        for values in tries:
            if not found:
                found = seen(*undone(partial(ask_console, mine.browser, asked, mine.project.slug, values), number))
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
            found = found or seen(*undone(partial(get, path, mine.keys["direct"], prefix="/v1/"), number))
        yield Caught(f"GET /v1/{route}", found)
    for route, requests in NAMING.items():
        for method in {one.method for one in requests} - {"GET"}:
            found = ""
            for request in [one for one in requests if one.method == method]:
                values = foreign_values(mine, theirs.values | {"session": f"chat-{word}"})
                found = found or seen(*undone(partial(request.ask, mine.keys["direct"], values), number))
            yield Caught(f"{method} /v1/{route}", found)


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
    assert len(found) >= SEEN_AT_LEAST
