"""The counts of the queue say what its list shows, whatever the filter."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.console.shaping.queue_state import NEWEST_DECIDED, ORDERS
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.listing import queue_page
from apps.curation.models import Proposal
from apps.curation.queries import QueueFilter, newest_undecided, queue
from apps.tenancy.models import Project
from tests.curation.stage import put, stage, wish
from tests.factories import make_agent, make_user
from tests.spans import trace_id

pytestmark = pytest.mark.django_db

EVERYTHING = ("public", "internal", "personal", "special")


@pytest.fixture
def project() -> Project:
    project = stage("u")
    plain, ada, late, held, mine = put(
        project,
        wish(project, "We ship on Tuesdays."),
        wish(project, "Prefers email.", user="ada"),
        wish(project, "Parcels are blue.", trace="u"),
        wish(project, "The shop is in Faro."),
        wish(project, "Opens at nine.", user="bo", statement={"confidence": 0.9}),
    ).proposals
    user = make_user(project, "curator")
    with bind(project.id):
        rows = Proposal.objects.in_project(project.id)
        rows.filter(id=ada.id).update(flags=["personal"], sensitivity="personal", origin="dream")
        rows.filter(id=late.id).update(snoozed_until=now() + timedelta(days=1))
        rows.filter(id=held.id).update(state="quarantined", flags=["injection", "low_evidence"])
        rows.filter(id=mine.id).update(assignee=user.id, snoozed_until=now() - timedelta(days=1))
        rows.filter(id=plain.id).update(importance=0.7)
    return project


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, 4),
        ({"state": "snoozed"}, 1),
        ({"held": True}, 1),
        ({"assignee": 0}, 3),
        ({"assignee": -1}, 0),
        ({"flags": ("none",)}, 2),
        ({"flags": ("personal",)}, 1),
        ({"flags": ("none", "low_evidence", "secret")}, 3),
        ({"origins": ("dream", "api")}, 1),
        ({"scopes": ("user", "project")}, 2),
        ({"scopes": ("user",), "scope_id": "ada"}, 1),
        ({"scope_id": "ADA"}, 0),
        ({"conf_min": 0.7}, 1),
        ({"conf_max": 0.7}, 3),
        ({"conf_min": 0.6, "conf_max": 0.6}, 3),
        ({"trace_id": trace_id("u"), "state": "snoozed"}, 1),
        ({"trace_id": trace_id("u")}, 0),
        ({"sensitivities": ("public", "internal")}, 3),
    ],
)
def test_a_count_is_of_the_rows_that_a_filter_shows(project: Project, wanted: dict[str, Any], found: int) -> None:
    asked = QueueFilter(**({"sensitivities": EVERYTHING} | wanted))
    with bind(project.id):
        undecided, more = newest_undecided(project.id, asked.sensitivities)
        assert (queue(project.id, asked).count(), sum(one.matches(asked) for one in undecided)) == (found, found)
        assert more is False
        ids = set(queue(project.id, asked).values_list("id", flat=True))
        for order in ORDERS.values():
            assert {one.id for one in walked(project, asked, order)} == ids


@pytest.mark.parametrize(
    "wanted", [{"conf_min": 0.7}, {"flags": ("personal",)}, {"state": "rejected", "origins": ("api",)}]
)
def test_a_page_looks_at_so_many_and_goes_on(
    project: Project, wanted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WALKED", "WALKED_ROWS"):
        monkeypatch.setattr(f"apps.curation.listing.{name}", 2)
    asked = QueueFilter(**({"sensitivities": EVERYTHING} | wanted))
    with bind(project.id):
        rows = Proposal.objects.in_project(project.id)
        if "state" in wanted:
            rows.update(
                state="rejected", decided_at=now(), reviewer="user:1", reason="vague", snoozed_until=None, assignee=None
            )
            rows.filter(id=rows.order_by("created_at")[0].id).update(origin="api")
        expected = list(queue(project.id, asked).order_by("-created_at", "-id"))
        order = ORDERS[""] if "state" not in wanted else NEWEST_DECIDED
        found = walked(project, asked, order)
        assert found == expected and len(found) == 1
        with CaptureQueriesContext(connection) as queries:
            first = queue_page(project.id, asked, order=order, cursor=None, limit=30, context="x", headings=True)
    assert first.short and len(queries) == 1 + bool(first.rows)


def walked(project: Project, asked: QueueFilter, order: tuple[str, ...]) -> list[Proposal]:
    """All pages of two, one after the other."""
    page = queue_page(project.id, asked, order=order, cursor=None, limit=2, context="x", headings=True)
    found = [*page.rows]
    while page.older:
        page = queue_page(project.id, asked, order=order, cursor=page.older, limit=2, context="x", headings=True)
        found += page.rows
    return found


def test_what_is_told_through_an_agent(project: Project) -> None:
    asked = QueueFilter(sensitivities=EVERYTHING, agent_id=make_agent(project, "support").id)
    with bind(project.id):
        undecided, _ = newest_undecided(project.id, EVERYTHING)
        count = queue(project.id, asked).count()
        assert count == sum(one.matches(asked) for one in undecided) > 0


def test_counts_end_at_a_thousand(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.curation.queries.MOST_COUNTED", 2)
    with bind(project.id):
        undecided, more = newest_undecided(project.id, EVERYTHING)
    assert (len(undecided), more) == (2, True)
