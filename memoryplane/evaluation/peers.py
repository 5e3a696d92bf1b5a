"""Other memory stores to compare with, each in an environment of its own, made when it is first asked for."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from psycopg.conninfo import make_conninfo

STORES = Path(__file__).with_name("peer_stores.py")
INSTALL_SECONDS = 900


@dataclass(frozen=True)
class Peer:
    """A package in one exact version; ``requirements`` are what its environment holds."""

    name: str
    version: str
    requirements: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


PEERS = [
    Peer("fastaiagent", "1.94.0", ("fastaiagent[kb,postgres]==1.94.0",)),
    # Without its extra for lemmas and entities, whose model is fetched apart from any package index.
    Peer("mem0ai", "2.2.1", ("mem0ai==2.2.1", "psycopg[binary,pool]==3.3.9")),
]


class PeerFault(Exception):
    """A peer can't be installed, or gave up; the text says which and why."""


def peer_python(peer: Peer, say: Callable[[str], None]) -> Path:
    """The Python of the peer's environment, in PEER_VENVS or the user's cache; made with pip when it isn't there,
    which takes minutes. Raises PeerFault."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(os.environ.get("PEER_VENVS") or cache / "memoryplane" / "peers") / f"{peer.name}-{peer.version}"
    python, complete = folder / "bin" / "python", folder / "complete"
    if complete.is_file() and complete.read_text() == "\n".join(peer.requirements):
        return python
    say(f"Installing {peer} into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *peer.requirements])
        complete.write_text("\n".join(peer.requirements))
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        shutil.rmtree(folder, ignore_errors=True)
        raise PeerFault(f"{peer} can't be installed here: {said[-1] if said else type(error).__name__}") from error
    return python


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)


@contextmanager
def peer_database(peer: Peer) -> Iterator[str]:
    """The URL of an empty database for it beside the product's, as the owner; gone afterwards."""
    from django.db import connections

    name, owner = f"peer_{peer.name}", connections["owner"]
    settings = owner.settings_dict
    with owner.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        yield make_conninfo(
            dbname=name,
            user=settings["USER"],
            password=settings["PASSWORD"] or None,
            host=settings["HOST"],
            port=settings["PORT"] or None,
        )
    finally:
        with owner.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


class PeerStore:
    """A peer's store at work over ``url``, an empty database of its own; the calls are those of peer_stores.py."""

    def __init__(self, peer: Peer, python: Path, url: str, vectors: Path | None = None) -> None:
        self.peer = peer
        self.command = [str(python), str(STORES), peer.name, url, *([str(vectors)] if vectors else [])]

    def __enter__(self) -> Self:
        self.folder = tempfile.TemporaryDirectory(prefix="peer-")
        self.errors = open(Path(self.folder.name) / "stderr", "w+", encoding="utf-8")
        # Nothing of this installation, no telemetry, and no file outside this folder.
        environment = {
            name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if name in os.environ
        } | {
            "HOME": self.folder.name,
            "MEM0_DIR": self.folder.name,
            "MEM0_TELEMETRY": "False",
            "OPENAI_API_KEY": "none",
            "FASTAIAGENT_LOCAL_DB": f"{self.folder.name}/local.db",
        }
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=self.folder.name,
            env=environment,
        )
        try:
            self.version: str = self._answer()["version"]
        except BaseException:
            self.close()
            raise
        return self

    def call(self, op: str, **order: Any) -> dict[str, Any]:
        """What the store answers. Raises PeerFault when it has ended instead."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"op": op, **order}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self) -> PeerFault:
        self.errors.seek(0)
        said = self.errors.read().strip().splitlines()
        return PeerFault(f"{self.peer} ended: {said[-1] if said else 'it said nothing'}")

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # it has ended: nothing more can be told to it
                    stream.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()
        self.folder.cleanup()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
