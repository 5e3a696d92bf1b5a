"""A worker process that dies, or is paused, at a named point of its work."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.servers import ROOT

# {work} defines `work(project, row, point)`: one job, in a child of its own.
PROGRAM = """
import os, signal, sys, threading
import django
django.setup()
from apps.core import failpoints

{work}

def do(project, row, point, after, sent):
    left = [after]
    def watch(name):
        if name == point:
            left[0] -= 1
            if left[0] == -1:
                # To this thread: sent to the process, it may come to another first, and this one goes on meanwhile.
                signal.pthread_kill(threading.get_ident(), sent)
    failpoints.watcher = watch
    work(project, row, point)

for line in sys.stdin:
    project, row, point, after, sent = line.split()
    child = os.fork()
    if not child:
        do(int(project), int(row), point, int(after), int(sent))
        os._exit(0)
    status = os.waitpid(child, os.WUNTRACED)[1]
    print(status, flush=True)
    if os.WIFSTOPPED(status):
        sys.stdin.readline()
        os.kill(child, signal.SIGCONT)
        print(os.waitpid(child, 0)[1], flush=True)
"""


class Killer:
    """Does one job at a time, each in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def __call__(self, row: Any, point: str = "none", after: int = 0, sent: int = signal.SIGKILL) -> int:
        """The job on a row of a project, sent a signal when it comes to ``point`` for the time after ``after`` others;
        answers with the signal that ended it, 0 for none."""
        return self._said(f"{row.project_id} {row.id} {point} {after} {int(sent)}")

    def paused(self, row: Any, point: str) -> bool:
        """The same, stopped at the point; whether it came there. Then ``go_on`` has to follow."""
        return os.WIFSTOPPED(self(row, point, sent=signal.SIGSTOP))

    def go_on(self) -> int:
        """Have the stopped job go on to its end; answers as a call does."""
        return self._said("go on")

    def _said(self, line: str) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@contextmanager
def killing(work: str) -> Iterator[Killer]:
    """``work`` is the source of the job."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(work=work)],
        cwd=ROOT,
        env=os.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    yield Killer(process)
    process.stdin.close()
    process.wait(30)
    process.stdout.close()
