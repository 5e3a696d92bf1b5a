"""What the README promises, tried as a stranger would: `make up` in a fresh copy of the tree, as root and as
an unprivileged user, with two web processes and two workers.

Each time: the address and the keys are printed, /readyz answers, the README's example runs with the printed
lines, kill -9 of the whole tree and a second `make up` lose nothing, and Ctrl-C leaves no process and no
port. Usage: first_promise.py [root] [user]
"""

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
PLAIN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMES = ("MEMORYPLANE_URL", "MEMORYPLANE_API_KEY", "MEMORYPLANE_AGENT", "MEMORYPLANE_KEY_NO_FACTS")
UP_SECONDS = 300
STOP_SECONDS = 20


class Broken(Exception):
    """A promise that was not kept."""


@dataclass
class Stranger:
    """Who types the command. `name` is None for the one running this script."""

    name: str | None
    python: str
    environment: dict[str, str]

    def run_as(self) -> dict[str, object]:
        if self.name is None:
            return {}
        entry = pwd.getpwnam(self.name)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class Installation:
    def __init__(self, folder: Path, stranger: Stranger) -> None:
        self.folder, self.stranger = folder, stranger
        self.output = folder.parent / "output.txt"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def up(self) -> str:
        """`make up` until it says so; returns what it printed."""
        start = time.monotonic()
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                ["make", "up", "WEB=2", "WORKERS=2", f"PORT={self.port}", f"PYTHON={self.stranger.python}"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.stranger.environment,
                start_new_session=True,
                **self.stranger.run_as(),  # type: ignore[call-overload]
            )
        while self.process.poll() is None and time.monotonic() - start < UP_SECONDS:
            if "memoryplane is up" in self.printed() and self.get("/readyz"):
                print(f"  up in {time.monotonic() - start:.1f} s", flush=True)
                return self.printed()
            time.sleep(0.2)
        raise Broken(f"`make up` did not come up:\n{self.printed()}")

    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def get(self, path: str, key: str = "") -> str:
        headers = {"X-API-Key": key} if key else {}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())

    def kill(self) -> None:
        """kill -9 of the whole tree, the servers too, all at once."""
        assert self.process is not None
        tree = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]
        for process in tree:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(tree, timeout=10)
        self.process.wait()

    def interrupt(self) -> None:
        """Ctrl-C: SIGINT for the whole foreground group."""
        assert self.process is not None
        start = time.monotonic()
        tree = psutil.Process(self.process.pid).children(recursive=True)
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Broken(f"not stopped {STOP_SECONDS} s after Ctrl-C:\n{self.printed()[-2000:]}") from error
        time.sleep(0.2)
        left = [process for process in tree if process.is_running() and process.status() != "zombie"]
        if left:
            raise Broken(f"processes left after Ctrl-C: {left}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                raise Broken(f"port {self.port} still answers after Ctrl-C")
        print(f"  Ctrl-C stopped everything in {time.monotonic() - start:.1f} s", flush=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def copy_tree(folder: Path) -> None:
    """What git knows or would add: a clone's content, without .venv and var."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, target)


def exports(printed: str) -> dict[str, str]:
    found = dict(re.findall(r"^export (\w+)=(\S+)$", printed, re.M))
    missing = [name for name in NAMES if name not in found]
    if missing:
        raise Broken(f"`make up` did not print {', '.join(missing)}:\n{printed}")
    return found


def run_example(printed: dict[str, str], folder: Path) -> None:
    """The first Python block after the README's mark, with the printed lines in the environment."""
    readme = (ROOT / "README.md").read_text()
    example = re.search(r"<!-- example -->.*?```python\n(.*?)```", readme, re.S)
    if example is None:
        raise Broken("README.md has no Python block after <!-- example -->")
    script = folder / "example.py"
    script.write_text(example[1])
    start = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYPLANE_")}
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**environment, **printed, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=180,
    )
    print("\n".join(f"    {line}" for line in done.stdout.splitlines()))
    if done.returncode:
        raise Broken(f"the README's example ended with code {done.returncode}")
    print(f"  the README's example ran in {time.monotonic() - start:.1f} s", flush=True)


def try_promise(stranger: Stranger) -> None:
    place = Path(tempfile.mkdtemp(prefix="mp-first-", dir="/tmp"))
    folder = place / "memoryplane"
    copy_tree(folder)
    if stranger.name is not None:
        place.chmod(0o755)
        for path in [folder, *folder.rglob("*")]:
            shutil.chown(path, stranger.name)
    stranger.environment["HOME"] = str(folder if stranger.name else Path.home())
    installation = Installation(folder, stranger)
    try:
        printed = exports(installation.up())
        facts = f"/public/v1/memory/facts?agent_id={printed['MEMORYPLANE_AGENT']}"
        if "<form" not in installation.get("/"):
            raise Broken("the console's address shows no login form")
        run_example(printed, place)
        before = facts_of(installation.get(facts, printed["MEMORYPLANE_API_KEY"]))
        installation.kill()
        again = installation.up()
        if "export " in again:
            raise Broken("the second start made new keys")
        after = facts_of(installation.get(facts, printed["MEMORYPLANE_API_KEY"]))
        if not before or before != after:
            raise Broken(f"after kill -9 the agent is told {after}, before it was {before}")
        print(f"  kill -9 of the whole tree lost nothing ({len(after)} facts)", flush=True)
        installation.interrupt()
    finally:
        if installation.process is not None and installation.process.poll() is None:
            installation.kill()
        data = (folder / "var" / "data").resolve()
        if data.parent == Path("/var/lib/memoryplane"):
            shutil.rmtree(data)
        shutil.rmtree(place)


def facts_of(answer: str) -> list[str]:
    body = json.loads(answer)
    return sorted(str(fact["content"]) for fact in body["facts"])


def python_for(name: str) -> str:
    """An interpreter that this user can run: root's own may lie where nobody else may look."""
    entry = pwd.getpwnam(name)
    for candidate in ("/usr/bin/python3", "/usr/local/bin/python3", shutil.which("python3") or ""):
        if (
            candidate
            and not subprocess.run(
                [candidate, "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"],
                user=entry.pw_uid,
                group=entry.pw_gid,
                extra_groups=[],
                cwd="/",
                capture_output=True,
            ).returncode
        ):
            return candidate
    raise Broken("no Python 3.11 or newer that an unprivileged user can run: apt-get install python3-venv")


def main(which: list[str]) -> int:
    strip = ("MEMORYPLANE_", "DATABASE_", "REDIS_URL", "SECRET_KEY", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(strip)}
    strangers = {"root": Stranger(None, "python3", environment)}
    if os.geteuid() == 0:
        plain = {"PATH": PLAIN_PATH, "LANG": "C.UTF-8"}
        pip = {name: value for name, value in environment.items() if name.startswith(("PIP_", "SSL_"))}
        strangers["user"] = Stranger("nobody", python_for("nobody"), {**plain, **pip})
    for name, stranger in strangers.items():
        if which and name not in which:
            continue
        print(f"as {stranger.name or 'the current user'}:", flush=True)
        try:
            try_promise(stranger)
        except Broken as broken:
            print(f"BROKEN PROMISE: {broken}")
            return 1
    print("the first promise holds")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
