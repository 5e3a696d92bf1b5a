"""`secrets.env` in the var folder: this installation's secrets, and what `up` found out for other commands.

Lines above MARK are made once or written by the operator and never touched again. Lines below it are replaced
at each start: the addresses of the servers that `up` runs, so that `manage.py key` in another terminal finds
them.
"""

import os
import secrets
from pathlib import Path

from memoryplane.embedded import StartupFault
from memoryplane.env import read_secrets

SECRETS = ("SECRET_KEY", "MEMORYPLANE_KEY_PEPPER", "MEMORYPLANE_AUDIT_KEY", "MEMORYPLANE_TOMBSTONE_KEY")
HEAD = "# Secrets of this installation. Keep a copy, apart from the database's: a lost one can't be made again.\n"
MARK = "# Written by `up` at each start; change nothing below this line.\n"


def path_in(var: Path) -> Path:
    return var / "secrets.env"


def lasting(var: Path) -> dict[str, str]:
    """The values above the mark, which win over what `up` would choose."""
    found = read_secrets(path_in(var))
    return {name: value for name, value in found.items() if name not in found_out(var)}


def found_out(var: Path) -> dict[str, str]:
    """The values below the mark, as the last start left them."""
    path = path_in(var)
    below = path.read_text("utf-8").partition(MARK)[2] if path.exists() else ""
    pairs = (line.split("=", 1) for line in below.splitlines() if "=" in line)
    return {name: value for name, value in pairs}


def ensure(var: Path, environ: dict[str, str], *, data: Path | None) -> bool:
    """Make the secrets that neither the environment nor the file holds; True when some were made.

    Raises StartupFault when the data of an earlier run is there and the file with its secrets is not: new
    ones would lock out every key and break the audit chain without a word.
    """
    path = path_in(var)
    missing = [name for name in SECRETS if not environ.get(name) and name not in lasting(var)]
    if not missing:
        return False
    if data:
        raise StartupFault(
            f"There is a database of an earlier installation ({data}), but {path} lacks {', '.join(missing)}: restore "
            f"that file from your backup, or remove {data} to begin anew."
        )
    above, mark, below = path.read_text("utf-8").partition(MARK) if path.exists() else (HEAD, "", "")
    above += "".join(f"{name}={secrets.token_urlsafe(48)}\n" for name in missing)
    write(path, above + mark + below)
    return True


def publish(var: Path, values: dict[str, str]) -> None:
    """Replace the values below the mark."""
    path = path_in(var)
    above = path.read_text("utf-8").partition(MARK)[0] if path.exists() else HEAD
    below = "".join(f"{name}={value}\n" for name, value in sorted(values.items()))
    write(path, above + (MARK + below if below else ""))


def write(path: Path, text: str) -> None:
    """Whole or not at all, and readable for this user alone from its first byte."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
