"""A real web server and real workers for tests, as processes of their own on a test's database."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers import ROOT, database_urls


@dataclass
class Live:
    """One process of the product. `log` is the file with everything it said, `sessions` the cookies of who is logged in,
    by email."""

    process: subprocess.Popen[bytes]
    log: Path
    url: str = ""
    sessions: dict[str, Any] = field(default_factory=dict)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        with suppress(ProcessLookupError):  # its children, had it been killed
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def run(name: str, arguments: list[str], database: str, folder: Path, **environment: str) -> Live:
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **database_urls(database), **environment},
            start_new_session=True,
        )
    return Live(process, log)


def run_server(database: str, folder: Path, **environment: str) -> Live:
    """One web process as `up` runs it, on a free port; returns when it answers. `environment` adds or replaces
    settings.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    arguments = ["memoryplane.web", "--port", str(port)]
    live = run("server", arguments, database, folder, **{"MEMORYPLANE_PUBLIC_URL": url, **environment})
    live.url = url
    end = time.monotonic() + 30
    while live.process.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
        except urllib.error.HTTPError:
            return live
        except OSError:
            time.sleep(0.05)
            continue
        return live
    live.stop()
    raise AssertionError(f"The server did not come up:\n{live.said()}")


def run_worker(database: str, folder: Path, *, beat: bool = True, name: str = "worker", **environment: str) -> Live:
    """A Celery worker, with the scheduler inside when `beat`; returns when it takes tasks."""
    arguments = ["celery", "-A", "memoryplane", "worker", "-l", "INFO", "-c", "1", "-n", f"{name}@test"]
    if beat:
        arguments += ["--beat", "--schedule", str(folder / f"{name}-beat")]
    live = run(name, arguments, database, folder, **environment)
    end = time.monotonic() + 30
    while live.process.poll() is None and time.monotonic() < end:
        if " ready." in live.said():
            return live
        time.sleep(0.1)
    live.stop()
    raise AssertionError(f"The worker did not come up:\n{live.said()}")
