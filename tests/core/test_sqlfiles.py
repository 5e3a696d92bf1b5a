import re

import pytest

from apps.core import sqlfiles


@pytest.mark.parametrize("package", ["facts", "apps.facts", "apps.facts.queries"])
def test_loads_the_file_of_the_app(package: str) -> None:
    assert "CREATE FUNCTION" in sqlfiles.load(package, "append_only").upper().replace("OR REPLACE ", "")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=re.escape("apps/facts/sql/nothing_here.sql")):
        sqlfiles.load("apps.facts", "nothing_here")
