"""Web and worker processes started by hand refuse a role that sees past row-level security."""

from pathlib import Path

import pytest

from tests.live import run
from tests.servers import database_urls

WEB = ["memoryplane.web", "--port", "0"]
WORKER = ["celery", "-A", "memoryplane", "worker", "-c", "1", "-n", "role@test"]


@pytest.mark.parametrize("arguments", [WEB, WORKER], ids=["web", "worker"])
def test_a_process_given_the_owner_says_so_and_ends(fresh_db: str, tmp_path: Path, arguments: list[str]) -> None:
    owner = database_urls(fresh_db)["DATABASE_URL"]
    live = run("refused", arguments, fresh_db, tmp_path, DATABASE_APP_URL=owner)
    try:
        code = live.process.wait(30)
    finally:
        live.stop()
    assert code != 0
    assert "DATABASE_APP_URL names the owner" in live.said()
