from collections.abc import Iterator

import pytest

from apps.core.transactions import bound_project, in_unit
from tests.core.committed import setting


@pytest.fixture(params=["test transaction", "committed"])
def database(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test twice: inside a transaction the unit didn't open, and as the outermost thing there is."""
    request.getfixturevalue("db" if request.param == "test transaction" else "fresh_db")
    yield
    assert not in_unit()
    assert bound_project() is None
    assert setting() == ""
