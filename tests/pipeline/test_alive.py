"""A worker process is seen on Health while it lives."""

import re
from collections.abc import Callable

import pytest

from apps.extraction.models import Worker
from tests.browserless import Person
from tests.factories import PASSWORD, make_project, make_user
from tests.live import Live
from tests.pipeline.test_sdk import wait_for

pytestmark = pytest.mark.pipeline


def test_a_worker_says_that_it_is_there(server: Live, worker: Callable[..., Live]) -> None:
    project = make_project("acme")
    user = make_user(project, "curator")
    curator = Person(server.url, user.email, PASSWORD)

    def workers() -> list[str]:
        """The figure and its note."""
        page = curator.get("/p/acme/health").text
        found = re.search(r"<dt>\s*Workers\s*</dt>\s*<dd[^>]*>(.*?)</dd>", page, re.DOTALL)
        words = re.sub(r"<[^>]+>", " ", found[1] if found else page.split("Workers")[1][:400])
        return words.split()

    assert not Worker.objects.exists() and workers()[0] == "none"
    worker(name="first")
    wait_for(lambda: Worker.objects.count() == 1)
    assert Worker.objects.get().name.startswith("first@")
    assert workers()[0] == "1" and "Alive;" in workers()
    # It goes on saying so by itself.
    first = Worker.objects.get().seen_at
    wait_for(lambda: Worker.objects.get().seen_at > first)
    worker(name="second")
    wait_for(lambda: Worker.objects.count() == 2)
    assert workers()[0] == "2"
