import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from memoryplane import supervisor
from memoryplane.embedded import StartupFault
from memoryplane.embedded.process import is_gone
from memoryplane.supervisor import MARK, Child, Supervisor

STAYS = "import time; print('up', flush=True); time.sleep(60)"


def build(tmp_path: Path, *children: Child, ready: bool = True) -> Supervisor:
    environment = {**os.environ, MARK: str(tmp_path)}
    return Supervisor(list(children), environment, tmp_path, tmp_path / "log.txt", None, lambda: ready, lambda: None)


def python(name: str, code: str) -> Child:
    return Child(name, [sys.executable, "-c", code])


def stop_when(condition: str, log: Path) -> None:
    """Ctrl-C as soon as the log has the words."""

    def watch() -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end and not (log.exists() and condition in log.read_text()):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "BACKOFF", (0.01,))


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """The test runner's own answer to signals is back after the test."""
    before = {sig: signal.getsignal(sig) for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for sig, handler in before.items():
        signal.signal(sig, handler)


def test_it_stops_all_when_asked(tmp_path: Path) -> None:
    run = build(tmp_path, python("web", STAYS), python("beat", STAYS))
    stop_when("beat     | up", run.log)
    assert run.run() == 0
    assert [child.process.poll() is not None for child in run.children if child.process] == [True, True]


def test_a_dead_child_is_started_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"import pathlib, time; p = pathlib.Path({str(mark)!r}); old = p.exists(); p.touch(); "
    run = build(tmp_path, python("web", code + "print('again' if old else 'first', flush=True); time.sleep(60 * old)"))
    stop_when("web      | again", run.log)
    assert run.run() == 0
    assert "ended with code 0; started again" in run.log.read_text()


def test_one_that_ends_again_and_again_ends_the_run_with_its_last_word(tmp_path: Path) -> None:
    run = build(tmp_path, python("beat", STAYS), python("web", "raise SystemExit('no such setting')"), ready=False)
    with pytest.raises(StartupFault, match=r"The web process ended 4 times while starting .*: no such setting"):
        run.run()
    beat = run.children[0].process
    assert beat is not None and beat.poll() is not None


def test_lines_are_whole_and_named(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "for part in ('a', 'b', 'c\\n', 'd', '!\\n'):\n"
        "    sys.stdout.write(part); sys.stdout.flush(); time.sleep(.05)\n"
        "time.sleep(60)"
    )
    run = build(tmp_path, python("worker1", code))
    stop_when("d!", run.log)
    run.run()
    lines = [line for line in run.log.read_text().splitlines() if line.startswith("worker1")]
    assert lines[:2] == ["worker1  | abc", "worker1  | d!"]


def test_one_that_does_not_listen_is_killed_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", {"web": 0.3, "rest": 0.3})
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "print('child', p.pid, flush=True); time.sleep(60)"
    )
    run = build(tmp_path, python("web", code))
    stop_when("child", run.log)
    assert run.run() == 0
    pid = int(run.log.read_text().split("child ")[1].split()[0])
    end = time.monotonic() + 5  # a signal takes a moment to do its work
    while psutil.pid_exists(pid) and not is_gone(psutil.Process(pid)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid) or is_gone(psutil.Process(pid))


def test_what_a_killed_run_left_is_found_and_ended(tmp_path: Path) -> None:
    left = subprocess.Popen([sys.executable, "-c", STAYS], env={**os.environ, MARK: str(tmp_path)})
    other = subprocess.Popen([sys.executable, "-c", STAYS], env={**os.environ, MARK: f"{tmp_path}2"})
    try:
        found = supervisor.left_behind(tmp_path)
        assert [process.pid for process in found] == [left.pid]
        supervisor.end_left_behind(found)
        assert left.wait(5) != 0
        assert other.poll() is None
    finally:
        for process in (left, other):
            process.kill()
            process.wait()
