"""Nothing is changed without a token: every route of the console, by every method that is no reading."""

import re
from uuid import uuid4

import pytest
from django.test import Client

from tests.console.stage import moved, state
from tests.factories import make_project, make_user
from tests.routes import CONSOLE

pytestmark = pytest.mark.django_db
VALUES = {"int": "1", "uuid": str(uuid4()), "str": "x" * 8, "slug": "acme"}


def test_every_change_without_a_token_is_refused() -> None:
    project = make_project("acme")
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(project, "admin", "curator", "privacy_officer"))
    before, found = state(project), {}
    for route in CONSOLE:
        path = "/" + re.sub(r"<(\w+):\w+>", lambda match: VALUES[match[1]], route)
        for method in ("post", "put", "patch", "delete"):
            for headers in ({}, {"HX-Request": "true"}):
                if (status := getattr(client, method)(path, headers=headers).status_code) != 403:
                    found[f"{method} {path}"] = status
    assert found == {}
    assert moved(before, state(project)) == set()
