"""Several reads in one statement."""

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from apps.core.together import Tally, together
from apps.tenancy.models import Project
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def test_rows_and_tallies_come_in_their_places() -> None:
    for slug in ("acme", "bolt", "bonn"):
        make_project(slug)
    projects = Project.objects.filter(slug__in=["acme", "bolt", "bonn"])
    tally = Tally(projects.annotate(hit=Q(slug__startswith="bo")).values("hit"))
    with CaptureQueriesContext(connection) as queries:
        found = together(projects.order_by("slug").values("slug")[:2], None, tally, projects.none().values("slug"))
    assert found == [[{"slug": "acme"}, {"slug": "bolt"}], [], [{"n": 2, "of": 3}], []]
    assert len(queries) == 1
    with CaptureQueriesContext(connection) as queries:
        assert together(None, projects.none().values("slug")) == [[], []]
    assert len(queries) == 0
