"""An empty installation that ends with the evaluation: what is measured never meets what is remembered."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memoryplane import embedded

ROOT = Path(__file__).resolve().parent.parent.parent
MARK = "EVALUATION_UNDER_WAY"


@contextmanager
def throwaway() -> Iterator[dict[str, str]]:
    """The environment of a migrated, empty installation; servers and files are gone afterwards. The choice of models
    and embedder is the operator's, as in his installation."""
    servers = embedded.start(ROOT, throwaway=True)
    try:
        var = servers.home.path / "var"
        var.mkdir()
        environment = {
            **os.environ,
            "MEMORYPLANE_VAR": str(var),
            "DATABASE_URL": servers.database_url,
            "DATABASE_APP_URL": servers.app_url,
            "REDIS_URL": servers.redis_url,
            MARK: "1",
        }
        for name in ("SECRET_KEY", "MEMORYPLANE_KEY_PEPPER", "MEMORYPLANE_AUDIT_KEY", "MEMORYPLANE_TOMBSTONE_KEY"):
            environment[name] = secrets.token_urlsafe(48)
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True
        )
        yield environment
    finally:
        servers.stop()
