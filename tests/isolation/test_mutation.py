"""What the walls around a project are worth, view by view: with the row security gone the filters show nothing, with the
filters gone too these tests see it, and without the door any member is let in.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pytest_django import DjangoDbBlocker

from tests.api.test_hosted import token_of
from tests.conftest import own_database
from tests.faults.scale import report
from tests.isolation.mutating import open_functions, without_door, without_filters, without_row_security
from tests.isolation.watching import View, Watch, views
from tests.isolation.world import tenants

BY_THE_DOOR_ALONE = {
    # By GET they lead on, after a login in between, and read nothing; the form of a view is for whose it is.
    "GET leads on": """
        ~/seen ~/undo/<uuid:change_id> ~/facts/views/<int:view_id> ~/facts/bulk ~/facts/duplicates/keep
        ~/review/batch ~/subjects/<int:subject_id>/aliases ~/subjects/<int:subject_id>/aliases/<int:alias_id>/remove
        ~/traces/<str:trace_id>/preview ~/traces/<str:trace_id>/extract ~/health/retry
        ~/health/gates/<int:gate_id>/open ~/privacy/holds/<int:hold_id>/release ~/privacy/<uuid:request_id>/act
        ~/privacy/<uuid:request_id>/account ~/privacy/<uuid:request_id>/approve ~/audit/verify ~/settings
        ~/settings/webhooks/<int:webhook_id>/act ~/settings/wipe/ask ~/settings/wipe/approve ~/settings/wipe/reopen
    """,
    # Forms, settings and figures that look the same in both projects of this stage: not told apart here.
    "GET looks alike": """
        ~/go ~/jobs ~/dreams/new ~/agent-view/case
        ~/settings/extraction ~/settings/categories/add ~/settings/categories/rename ~/settings/dreaming
        ~/settings/recall ~/privacy/new ~/audit/chain ~/settings/members/invite ~/settings/retention
        ~/settings/retention/change ~/settings/webhooks/new
    """,
    # What makes something new in the project of the address, or finds by these forms nothing that could move.
    "POST": """
        ~/seen ~/undo/<uuid:change_id> ~/facts/masking ~/facts/views ~/facts/views/<int:view_id>
        ~/facts/new ~/facts/duplicates/keep
        ~/dreams/new ~/traces/learn ~/health/retry ~/settings/extraction ~/settings/categories/add
        ~/settings/categories/rename ~/settings/categories/retire ~/settings/categories/enable ~/settings/dreaming
        ~/settings/recall ~/privacy/new ~/privacy/<uuid:request_id>/act ~/audit/export ~/audit/verify
        ~/settings/keys/new ~/settings/members/invite ~/settings/retention ~/settings/retention/change
        ~/settings/webhooks/new ~/settings/wipe/ask ~/settings/wipe/approve ~/settings/wipe/reopen
    """,
}
"""Pages whose own filters show nothing when they go: the project of the address, which the door guards, is what keeps them
apart; `~` is that address. Whatever is not named here must be caught by its filters."""
OTHERWISE = {
    "POST ~/undo/<uuid:change_id>": "a change is undone by whoever made it: to others it is not there",
    "POST ~/facts/views/<int:view_id>": "a view is changed by whose it is: to others it is not there",
    "POST ~/settings/categories/rename": "the form names its category in the query, and this one names none",
    "POST ~/settings/wipe/approve": "nobody has asked for a wipe, so that there is none to approve",
}
"""Pages that no member but one can ask, or not now: the door shows nothing either."""
API_SILENT = {
    "GET /v1/auth/check": "says the key's own project, and reads no other row",
    "GET /v1/policy": "is the same for everybody",
    "POST /v1/keys/revoke": "ends the key that asks, found by its secret",
    "GET /v1/privacy/opened": "found by who opened them: the row of a key, which is of one project",
    "GET /api/v1/domains/<str:domain_id>/projects": "looked up among the person's own memberships",
    "POST /api/v1/api-keys": "makes a key in a project among the person's own memberships",
}
"""Views of the API that show nothing without their filters, and why."""


@dataclass
class Stage:
    """``at_first`` is what each view shows while the row security alone is away."""

    watch: Watch
    views: list[View]
    at_first: dict[str, str]


@pytest.fixture(scope="module")
def stage(django_db_blocker: DjangoDbBlocker) -> Iterator[Stage]:
    """Two tenants in a database whose functions keep their filters until the last test opens them."""
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch):
        mine, theirs = tenants(2)
        listed = list(views(mine, theirs, token_of(mine.user)))
        watch = Watch(mine, theirs)
        with without_row_security():
            yield Stage(watch, listed, {one.name: watch.learn(one) for one in listed})


def test_filters_hold_where_row_security_is_gone(stage: Stage) -> None:
    through = [f"{name}: {how}" for name, how in stage.at_first.items() if how]
    report("row security away", views=len(stage.views), leaks=len(through))
    assert through == []


def test_without_the_door_every_page_is_seen_to_open(stage: Stage) -> None:
    with without_door():
        found = {
            one.name: stage.watch.seen(one, door=True) for one in stage.views if any(each.door for each in one.tries)
        }
    report("door removed", pages=f"{sum(map(bool, found.values()))} of {len(found)} caught")
    silent = {name for name, how in found.items() if not how}
    print("silent without the door", sorted(silent))
    assert silent <= {addressed(name) for name in OTHERWISE}


def test_without_their_filters_the_views_are_seen_to_leak(stage: Stage) -> None:
    functions = open_functions()
    with without_filters() as opened:
        found = {one.name: stage.watch.seen(one) for one in stage.views}
    caught = sum(map(bool, found.values()))
    report("filters removed", views=f"{caught} of {len(found)} caught", functions=functions, filters=opened[0])
    for name, how in found.items():
        print(f"{'caught' if how else 'silent'}  {name}  {how}")
    named = {
        addressed(f"{group.split()[0]} {path}") for group, paths in BY_THE_DOOR_ALONE.items() for path in paths.split()
    }
    assert set(found) >= named | set(API_SILENT) | {addressed(name) for name in OTHERWISE}
    assert {name for name, how in found.items() if not how} <= named | set(API_SILENT)


def addressed(name: str) -> str:
    return name.replace("~", "/p/<slug:slug>")
