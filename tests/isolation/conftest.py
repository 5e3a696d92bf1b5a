"""Tenants in a database of their own, made once for a module."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.conftest import own_database
from tests.isolation.world import Tenant, tenants


@pytest.fixture(scope="module")
def two(django_db_blocker: DjangoDbBlocker) -> Iterator[list[Tenant]]:
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch):
        yield tenants(2)
