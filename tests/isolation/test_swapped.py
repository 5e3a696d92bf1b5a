"""Everything that one project can name, asked for by another: 404 in the words for what is not there, and nothing written."""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from tests.api.helpers import call
from tests.factories import PASSWORD
from tests.isolation.swapping import (
    NOBODY,
    Asked,
    ask_console,
    ask_hosted,
    foreign_values,
    leaks,
    nobodys,
    of_api,
    of_console,
    of_hosted,
    parts_of,
    plain,
    swapped,
)
from tests.isolation.world import Digests, Tenant, api_reads
from tests.routes import CONSOLE


def untouched(act: Callable[[], None], theirs: Tenant) -> None:
    digests = Digests()
    try:
        before = digests.of(theirs.project.id)
        act()
        after = digests.of(theirs.project.id)
        assert {table for table in before | after if before.get(table) != after.get(table)} == set()
    finally:
        digests.close()


def test_the_canary_is_in_what_its_own_key_reads(two: list[Tenant]) -> None:
    """Or a sweep that finds none would say nothing."""
    one, _ = two
    silent = {"auth/check", "policy", "memory/revocations", "privacy/opened"}  # hold no word of anybody
    for path in api_reads(one):
        response = call("GET", path, one.keys["direct"], prefix="/v1/")
        assert response.status_code == 200, (path, response.content)
        assert leaks(response, one.canary) != (path.partition("?")[0] in silent), path


def test_every_request_of_the_api_with_ids_of_another_project(two: list[Tenant]) -> None:
    mine, theirs = two
    asked = list(of_api())

    def act() -> None:
        for request in asked:
            values = foreign_values(mine, theirs.values | {"session": f"chat-{theirs.canary}"})
            got = request.ask(mine.keys["direct"], values)
            nobody = request.ask(mine.keys["direct"], foreign_values(mine, NOBODY))
            assert said(got) == said(nobody), str(request)
            # A list of what nobody has is empty; what is named by its id is not there.
            assert got.status_code == (404 if "_id}" in request.path else got.status_code) in {200, 404}, str(request)
            assert not leaks(got, theirs.canary), str(request)

    untouched(act, theirs)
    print(f"\n{len(asked)} requests of the API with another project's names and ids: 0 leaks, 0 rows moved")


def said(response: HttpResponse) -> tuple[int, object]:
    document = json.loads(response.content)
    document.pop("instance", None)
    # A moment, and not a fact.
    document.pop("epoch", None)
    return response.status_code, document


def test_every_route_of_the_console_with_ids_of_another_project(two: list[Tenant]) -> None:
    mine, theirs = two
    asked = of_console()
    wrong = []

    def act() -> None:
        for one in asked:
            for number in range(len(parts_of(one.route))):
                name = parts_of(one.route)[number]
                foreign = swapped(one.route, mine, mine.values) | {name: theirs.values[name]}
                nobody = swapped(one.route, mine, mine.values) | {name: nobodys(name)}
                got = ask_console(mine.browser, one, mine.project.slug, foreign)
                none = ask_console(mine.browser, one, mine.project.slug, nobody)
                if not same(one, got, none, foreign[name], nobody[name]):
                    wrong.append(f"{one} {name}: {got.status_code} and {none.status_code}")
                if leaks(got, theirs.canary):
                    wrong.append(f"{one} {name}: leaks")

    untouched(act, theirs)
    print(f"\n{len(asked)} requests of the console with another project's ids: {len(wrong)} differ")
    assert wrong == []


def same(asked: Asked, got: HttpResponse, none: HttpResponse, foreign: str, nobody: str) -> bool:
    if got.status_code in {301, 302, 303}:
        return none.status_code == got.status_code and got["Location"].replace(foreign, nobody) == none["Location"]
    return plain(got)[0] == plain(none)[0] and plain(got)[1].replace(foreign, nobody) == plain(none)[1].replace(
        foreign, nobody
    )


def test_every_page_of_a_project_by_somebody_who_is_no_member(two: list[Tenant]) -> None:
    mine, theirs = two
    pages = [route for route, methods in CONSOLE.items() if route.startswith("p/<slug:slug>") and "GET" in methods]

    def act() -> None:
        for route in pages:
            got = ask_console(mine.browser, Asked(route, "GET"), theirs.project.slug, theirs.values)
            none = ask_console(mine.browser, Asked(route, "GET"), "p-nobody", theirs.values)
            assert got.status_code in {404, 286} and got.status_code == none.status_code, route
            assert plain(got)[1].replace(theirs.project.slug, "p-nobody") == plain(none)[1], route
            assert not leaks(got, theirs.canary), route

    untouched(act, theirs)
    print(f"\n{len(pages)} pages asked by a stranger")


def test_every_route_of_the_hosted_plane(two: list[Tenant]) -> None:
    mine, theirs = two
    body = {"email": mine.user.email, "password": PASSWORD}
    token = json.loads(call("POST", "auth/login", body=body, prefix="/api/v1/").content)["access_token"]

    def act() -> None:
        for method, route in of_hosted():
            got = ask_hosted(token, method, route, theirs.values)
            none = ask_hosted(
                token, method, route, {name: nobodys(name) for name in ("domain_id", "agent_id", "fact_id")}
            )
            assert (got.status_code, said(got)) == (404, said(none)), route
            assert not leaks(got, theirs.canary), route

    untouched(act, theirs)


@pytest.mark.parametrize("request_", [str(one) for one in of_api()])
def test_foreign_and_unknown_cost_the_same_statements(two: list[Tenant], request_: str) -> None:
    """So that no clock tells one from the other."""
    mine, theirs = two
    (asked,) = [one for one in of_api() if str(one) == request_]
    counts = []
    for values in (theirs.values | {"session": f"chat-{theirs.canary}"}, NOBODY):
        call(
            "GET", "auth/check", mine.keys["direct"], prefix="/v1/"
        )  # so that the key is known to each, for some seconds
        with CaptureQueriesContext(connection) as watched:
            asked.ask(mine.keys["direct"], foreign_values(mine, values))
        counts.append([entry["sql"].split(" ")[0] for entry in watched.captured_queries])
    assert counts[0] == counts[1]
