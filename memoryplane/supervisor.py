"""Runs the product's processes as one: one log, restarts, and an orderly end.

Single-threaded on purpose: the kernel ends a child when the *thread* that started it is gone, and a fork
beside running threads is a gamble.
"""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import psutil

from memoryplane.embedded import Servers, StartupFault
from memoryplane.embedded.process import LOG_LIMIT, ends_with_parent, is_gone

# In the environment of every process of ours, with the var folder as its value: how the next start knows what
# a killed supervisor left behind.
MARK = "MPRUN_VAR"
COLOURS = {"web": 36, "worker": 32, "beat": 35, "postgres": 34, "redis": 34}
YOUNG_SECONDS = 20.0
DEATHS_ALLOWED = 4
DEATHS_WITHIN = 60.0  # seconds from one end of a server to the next that make them one row of ends
BACKOFF = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
PATIENCE = {"web": 5.0, "rest": 20.0}  # seconds to end what they are at, before kill -9; together below docker's 30


@dataclass
class Child:
    """One process of ours, started again when it ends. `name` begins with its kind: web1, worker1, beat.

    pass_fds    open files of ours that it is given under the same numbers
    """

    name: str
    argv: list[str]
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    not_before: float = 0.0
    young_deaths: int = 0
    partial: bytes = b""
    last_line: str = ""

    @property
    def kind(self) -> str:
        return self.name.rstrip("0123456789")


@dataclass
class Supervisor:
    """`run` returns when all is stopped: 0 after a signal, else it raises StartupFault.

    servers     the embedded ones, watched and revived too; None when all were given
    on_ready    is called once, when `is_ready` first says so; the children's lines are shown from then on,
    and
                are in the log file from the beginning
    on_stopping is called once, before any child is asked to end
    """

    children: list[Child]
    environment: dict[str, str]
    var: Path
    log: Path
    servers: Servers | None
    is_ready: Callable[[], bool]
    on_ready: Callable[[], None]
    on_stopping: Callable[[], None] = lambda: None
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    stopping: int = 0
    ready: bool = False
    server_deaths: int = 0
    last_death: float = float("-inf")

    def run(self) -> int:
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, self.ask_to_stop)
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab", buffering=0) as self.file:
            try:
                while not self.stopping:
                    self.tend()
                    self.pump(0.2)
                self.ready = True
                self.say("up", "stopping")
                return 0
            finally:
                self.end_children()

    def ask_to_stop(self, number: int, frame: object) -> None:
        self.stopping += 1  # a second one ends the patience

    def tend(self) -> None:
        """Start what is not running and due, notice what ended, and say once that all is up."""
        now = time.monotonic()
        for child in self.children:
            if child.process is not None and child.process.poll() is not None:
                self.bury(child, now)
            if child.process is None and now >= child.not_before and not self.stopping:
                self.start(child, now)
        if self.servers is not None:
            for name in self.servers.revive():
                # A server that ran for a while and ended is a new story, not one that can't start.
                self.server_deaths = self.server_deaths + 1 if now - self.last_death < DEATHS_WITHIN else 1
                self.last_death = now
                self.say(name, "ended; started again (see its log)")
                if self.server_deaths > DEATHS_ALLOWED:
                    raise StartupFault(f"The embedded {name} ends again and again; see its log in {self.var / 'log'}.")
        if not self.ready and self.is_ready():
            self.ready = True
            self.on_ready()

    def start(self, child: Child, now: float) -> None:
        child.started = now
        child.partial = b""
        child.process = subprocess.Popen(
            child.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**self.environment, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            preexec_fn=ends_with_parent(signal.SIGTERM),
            pass_fds=child.pass_fds,
        )
        assert child.process.stdout is not None
        os.set_blocking(child.process.stdout.fileno(), False)
        self.selector.register(child.process.stdout, selectors.EVENT_READ, child)

    def bury(self, child: Child, now: float) -> None:
        """A child ended by itself: end what is left of its group, and set when it is started again."""
        assert child.process is not None
        kill_group(child.process.pid)
        self.drain(child)
        code = child.process.returncode
        how = f"signal {-code}" if code < 0 else f"code {code}"
        child.process = None
        child.young_deaths = child.young_deaths + 1 if now - child.started < YOUNG_SECONDS else 0
        if child.young_deaths >= DEATHS_ALLOWED:
            when = "while starting" if not self.ready else "within seconds of each start"
            raise StartupFault(
                f"The {child.name} process ended {child.young_deaths} times {when} ({how}): "
                f"{child.last_line or 'it said nothing'} (log: {self.log})"
            )
        wait = BACKOFF[min(child.young_deaths, len(BACKOFF) - 1)]
        child.not_before = now + wait
        self.say(child.name, f"ended with {how}; started again in {wait:g} s")

    def pump(self, seconds: float) -> None:
        """Pass on whole lines for so long. Also where the loop sleeps."""
        for key, _ in self.selector.select(seconds):
            self.read(key.data, key.fileobj)  # type: ignore[arg-type]

    def read(self, child: Child, pipe: BinaryIO) -> bool:
        """One read; False when the pipe is closed or has nothing now."""
        try:
            data = os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            return False
        if not data:
            self.selector.unregister(pipe)
            pipe.close()
            return False
        *lines, child.partial = (child.partial + data).split(b"\n")
        for line in lines:
            self.pass_on(child, line)
        if len(child.partial) > 65536:  # a line without an end must not fill the memory
            self.pass_on(child, child.partial)
            child.partial = b""
        return True

    def drain(self, child: Child) -> None:
        pipe = child.process.stdout if child.process else None
        while pipe is not None and not pipe.closed and self.read(child, pipe):  # type: ignore[arg-type]
            pass
        if pipe is not None and not pipe.closed:
            self.selector.unregister(pipe)
            pipe.close()
        if child.partial:
            self.pass_on(child, child.partial)
            child.partial = b""

    def pass_on(self, child: Child, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        if text:
            child.last_line = text
            self.say(child.name, text)

    def say(self, name: str, text: str) -> None:
        """One line of the log: to the file always, to the terminal once everything is up."""
        self.file.write(f"{name:<8} | {text}\n".encode())
        if self.ready:
            show(name, text)

    def end_children(self) -> None:
        """Web first, so that no new work comes in, then workers and scheduler; kill -9 for what stays."""
        self.ready = True  # last words are shown, whatever happened before
        self.on_stopping()
        web = [child for child in self.children if child.kind == "web"]
        rest = [child for child in self.children if child.kind != "web"]
        for some, patience in ((web, PATIENCE["web"]), (rest, PATIENCE["rest"])):
            alive = [child.process for child in some if child.process is not None]
            for process in alive:
                process.terminate()
            end = time.monotonic() + patience
            while any(process.poll() is None for process in alive):
                if time.monotonic() > end or self.stopping > 1:
                    break
                self.pump(0.05)
        for child in self.children:
            if child.process is not None:
                kill_group(child.process.pid)
                child.process.wait()
                self.drain(child)


def show(name: str, text: str) -> None:
    """One whole line on the terminal; a reader that went away (`| head`) is no reason to stop."""
    prefix = f"{name:<8} | "
    if sys.stdout.isatty():
        colour = COLOURS.get(name.rstrip("0123456789"), 33)
        prefix = f"\033[{colour}m{prefix}\033[0m"
    with suppress(OSError, ValueError):
        sys.stdout.write(f"{prefix}{text}\n")
        sys.stdout.flush()


def kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def left_behind(var: Path) -> list[psutil.Process]:
    """Processes of an earlier run on this var folder that outlived a killed supervisor."""
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter(["environ"]):
        environment = process.info["environ"] or {}
        if environment.get(MARK) == str(var) and process.pid not in ours:
            found.append(process)
    return found


def end_left_behind(processes: Iterable[psutil.Process]) -> None:
    """Terminate them, then kill. Raises StartupFault when one stays."""
    alive = list(processes)
    for act, seconds in (("terminate", 6.0), ("kill", 3.0)):
        for process in alive:
            with suppress(psutil.NoSuchProcess):
                getattr(process, act)()
        end = time.monotonic() + seconds
        while alive and time.monotonic() < end:
            alive = [process for process in alive if not is_gone(process)]
            time.sleep(0.05)
    if alive:
        raise StartupFault(f"Process {alive[0].pid} of an earlier run does not end: end it and try again.")
