"""A throw-away, migrated database for one benchmark run, with the product's own launcher."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memoryplane import embedded  # noqa: E402  (the path is set first)


@contextmanager
def migrated(keep: Path | None = None) -> Iterator[None]:
    """Servers, environment, schema; Django is set up inside and may be imported there. ``keep`` is a folder whose data
    outlives the run, and is found again."""
    for name in [name for name in os.environ if name.startswith(("MEMORYPLANE_", "DATABASE_", "REDIS_"))]:
        del os.environ[name]
    servers = embedded.start(keep or ROOT, throwaway=keep is None)
    try:
        var = servers.home.path / "var"
        var.mkdir(exist_ok=True)
        os.environ.update(
            MEMORYPLANE_VAR=str(var),
            DATABASE_URL=servers.database_url,
            DATABASE_APP_URL=servers.app_url,
            REDIS_URL=servers.redis_url,
            DJANGO_SETTINGS_MODULE="memoryplane.settings",
        )
        for name in ("SECRET_KEY", "MEMORYPLANE_KEY_PEPPER", "MEMORYPLANE_AUDIT_KEY", "MEMORYPLANE_TOMBSTONE_KEY"):
            os.environ[name] = secrets.token_urlsafe(48)
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, check=True)
        import django

        django.setup()
        yield
        from django.db import connections

        connections.close_all()
    finally:
        servers.stop()
