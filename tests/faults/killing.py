"""A worker process that dies at a named point of its work."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.servers import ROOT

# {work} defines `work(project, row, point)`: one job, in a child of its own.
PROGRAM = """
import os, signal, sys
import django
django.setup()
from apps.core import failpoints

{work}

def do(project, row, point, after):
    left = [after]
    def watch(name):
        if name == point:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    failpoints.watcher = watch
    work(project, row, point)

for line in sys.stdin:
    project, row, point, after = line.split()
    child = os.fork()
    if not child:
        do(int(project), int(row), point, int(after))
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@contextmanager
def killing(work: str) -> Iterator[Callable[..., int]]:
    """Calls of (row, point, after): the job on a row of a project, killed when it comes to ``point`` for the time after
    ``after`` others; answers with the signal that ended it, 0 for none. ``work`` is the source of the job."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(work=work)],
        cwd=ROOT,
        env=os.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None

    def job(row: Any, point: str = "none", after: int = 0) -> int:
        process.stdin.write(f"{row.project_id} {row.id} {point} {after}\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    yield job
    process.stdin.close()
    process.wait(30)
    process.stdout.close()
