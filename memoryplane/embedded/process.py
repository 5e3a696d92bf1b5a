"""Start and stop one server process, and read why it ended."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from memoryplane.embedded.home import Account, StartupFault

LOG_LIMIT = 16 * 1024 * 1024
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def ends_with_parent(sig: signal.Signals) -> Callable[[], None] | None:
    """A `preexec_fn` that makes the kernel send `sig` to the child when its parent is gone, kill -9 included.

    Linux only, None elsewhere. The kernel watches the *thread* that started the child, so start children from
    the main thread.
    """
    libc = _libc
    if libc is None:
        return None
    parent = os.getpid()

    def before_exec() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(sig), 0, 0, 0)
        if os.getppid() != parent:  # the parent went away before the line above
            os._exit(1)

    return before_exec


def spawn(
    argv: list[str], *, log: Path, account: Account | None, when_orphaned: signal.Signals
) -> subprocess.Popen[bytes]:
    """Start a server with its output appended to `log` and no other file of ours open in it.

    An inherited stdout would keep a pipe (`make up | tee`) open for as long as the server lives. The server
    is the leader of its own session, so a Ctrl-C in the terminal reaches only the supervisor, which stops
    things in order.
    """
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(log.suffix + ".1"))
    with log.open("ab") as output:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=quiet_environment(),
            start_new_session=True,
            preexec_fn=ends_with_parent(when_orphaned),
            **as_account(account),
        )


def as_account(account: Account | None) -> dict[str, Any]:
    """The Popen arguments that run a child as `account` with none of our groups."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def quiet_environment() -> dict[str, str]:
    """No PG*, locale or secret variable of ours reaches a server; its messages stay in English for
    `last_error`.
    """
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": "/"}


def stop(process: subprocess.Popen[bytes], signals: list[tuple[signal.Signals, float]]) -> None:
    """Send each signal in turn, giving the process so many seconds after each; returns when it is gone."""
    for sig, seconds in signals:
        if process.poll() is not None:
            return
        process.send_signal(sig)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return
    process.kill()
    process.wait()


def end(name: str, left: psutil.Process, signals: list[tuple[signal.Signals, float]]) -> None:
    """Stop a server that an earlier run left, kill it in the end. Raises StartupFault when it stays."""
    for sig, seconds in [*signals, (signal.SIGKILL, 5.0)]:
        with suppress(psutil.NoSuchProcess):
            left.send_signal(sig)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if is_gone(left):
                return
            time.sleep(0.05)
    raise StartupFault(f"A {name} of an earlier run (process {left.pid}) does not stop: end it and try again.")


def is_gone(found: psutil.Process) -> bool:
    """A dead process that nobody collects (a container without an init) counts as gone."""
    try:
        return not found.is_running() or found.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def new_lines(log: Path, start: int) -> list[str]:
    """What a server wrote since the log was `start` bytes long."""
    if not log.exists():
        return []
    with log.open("rb") as file:
        file.seek(start if start <= log.stat().st_size else 0)
        return file.read(LOG_LIMIT).decode(errors="replace").splitlines()


def size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def ended_early(
    name: str, process: subprocess.Popen[bytes], log: Path, start: int, marks: tuple[str, ...]
) -> StartupFault:
    """The sentence for a server that ended instead of answering, with its own last word where it left one."""
    said = [line for line in new_lines(log, start) if any(mark in line for mark in marks)]
    last = said[-1].split("]", 1)[-1].strip() if said else "it said nothing"
    return StartupFault(f"{name} ended with code {process.returncode} while starting: {last} (log: {log})")
