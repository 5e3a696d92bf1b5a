"""`manage.py up`: makes, starts and runs everything, and stops it all on Ctrl-C. Runs before Django has
settings.
"""

import argparse
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import redis

from memoryplane import database, embedded, secretsfile
from memoryplane.embedded import StartupFault
from memoryplane.embedded.home import data_of, make_folder
from memoryplane.env import BASE, EnvError, var_dir
from memoryplane.httpd import listen
from memoryplane.supervisor import MARK, Child, Supervisor, end_left_behind, left_behind

READY_SECONDS = 120.0


def main(argv: list[str]) -> int:
    """Exit code 0 after Ctrl-C or SIGTERM, 1 after a fault, which is told in one sentence; its traceback,
    when there is one, goes to var/log/up.log.
    """
    options = parse(argv)
    # Python's own answer to Ctrl-C, also where a shell started us in the background with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, stop_starting)
    var = var_dir().absolute()
    try:
        return run(options, var)
    except (StartupFault, EnvError) as fault:
        print(f"memoryplane: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("memoryplane: stopped while starting.", file=sys.stderr)
        return 1
    except Exception as error:
        log = var / "log" / "up.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.open("a").write(traceback.format_exc())
        print(f"memoryplane: cannot start: {type(error).__name__}, see {log}.", file=sys.stderr)
        return 1


def stop_starting(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="manage.py up", description="Run everything until Ctrl-C.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
    parser.add_argument("--web", type=int, default=1, help="web processes (1)")
    parser.add_argument("--workers", type=int, default=1, help="worker processes (1)")
    options = parser.parse_args(argv)
    if not 1 <= options.port <= 65535:
        parser.error("--port must be 1 to 65535")
    if options.web < 1 or options.workers < 1:
        parser.error("--web and --workers must be 1 or more")
    return options


def run(options: argparse.Namespace, var: Path) -> int:
    with ExitStack() as stack:
        make_folder(var, 0o700)
        make_folder(var / "log", 0o700)
        stack.enter_context(only_one(var))
        end_left_behind(left_behind(var))
        listener = stack.enter_context(listening(options.host, options.port))
        values = given(var)
        if secretsfile.ensure(var, values, data=data_of(var)):
            tell(f"Made the secrets of this installation: {secretsfile.path_in(var)}")
        check_settings(values)
        servers, found = start_or_check_servers(values, var, stack)
        if not values.get("MEMORYPLANE_PUBLIC_URL"):
            found["MEMORYPLANE_PUBLIC_URL"] = f"http://{shown_host(options.host)}:{options.port}"
        secretsfile.publish(var, found)
        settings = {"DJANGO_SETTINGS_MODULE": "memoryplane.settings", MARK: str(var)}
        # Running as root is allowed here; Celery would say otherwise in each worker at each start.
        settings["PYTHONWARNINGS"] = "ignore:You're running the worker with superuser"
        environment = {**os.environ, **found, **settings}
        prepare(environment, var)
        address = values.get("MEMORYPLANE_PUBLIC_URL") or found["MEMORYPLANE_PUBLIC_URL"]
        tell("Starting web, workers and scheduler")
        code = supervise(options, environment, var, servers, address, listener)
        tell("Stopping the servers" if servers else "Stopped")
    return code


def given(var: Path) -> dict[str, str]:
    """What the operator chose: the environment over the lasting part of secrets.env; an empty value is none."""
    chosen = {name: text for name, text in os.environ.items() if text}
    return {**secretsfile.lasting(var), **chosen}


@contextmanager
def only_one(var: Path) -> Iterator[None]:
    """The kernel drops this lock with the process, so that none is left by kill -9."""
    with (var / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise StartupFault(
                f"Another `up` runs on {var} already (process {lock.read().strip() or 'unknown'}): stop it first."
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def listening(host: str, port: int) -> socket.socket:
    """The socket of all web processes. It is ours from the start, so that nobody takes the port meanwhile, and who
    connects while a process is started again waits for it instead of being refused."""
    try:
        return listen(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"Port {port} on {host} is in use: stop what listens there, or choose another: make up PORT=8001"
        else:
            reason = f"Port {port} on {host} can't be listened on: {error.strerror}"
        raise StartupFault(f"{reason}.") from error


def check_settings(values: dict[str, str]) -> None:
    """An unknown or unusable setting is told before anything is started: the settings are read once, with stand-ins
    for the addresses that are not known yet.
    """
    stand_ins = {
        "DATABASE_URL": "postgresql://a@/b?host=/c",
        "DATABASE_APP_URL": "postgresql://a@/b?host=/c",
        "REDIS_URL": "unix:///c",
    }
    done = subprocess.run(
        [sys.executable, "-c", "import memoryplane.settings"],
        cwd=BASE,
        env={**os.environ, **{name: values.get(name) or text for name, text in stand_ins.items()}},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StartupFault(done.stderr.strip().splitlines()[-1].partition(": ")[2])


def start_or_check_servers(
    values: dict[str, str], var: Path, stack: ExitStack
) -> tuple[embedded.Servers | None, dict[str, str]]:
    """Start what was not given and look at what was; returns the addresses that settings need on top."""
    found: dict[str, str] = {}
    known_app_url = secretsfile.found_out(var).get("DATABASE_APP_URL", "")
    database_url, redis_url = values.get("DATABASE_URL", ""), values.get("REDIS_URL", "")
    if not database_url and values.get("DATABASE_APP_URL"):
        raise StartupFault("DATABASE_APP_URL is given without DATABASE_URL, the owner's address.")
    if redis_url:
        check_redis(redis_url)
    if database_url:
        given_app_url = values.get("DATABASE_APP_URL", "")
        app_url = given_app_url or database.app_address(database_url, known_app_url)
        if not given_app_url:
            found["DATABASE_APP_URL"] = app_url
            secretsfile.publish(var, found)  # a password that a DBA is asked to set must outlive this start
        database.prepare_given(database_url, app_url, make_role=not given_app_url)
    if database_url and redis_url:
        return None, found
    names = [name for name, url in (("PostgreSQL", database_url), ("Redis", redis_url)) if not url]
    begun = time.monotonic()
    tell(f"Starting {' and '.join(names)} under {var}")
    servers = embedded.start(var, log_dir=var / "log", postgres=not database_url, redis=not redis_url)
    stack.callback(servers.stop)
    tell(f"  up in {time.monotonic() - begun:.1f} s")
    if not database_url:
        found.update(DATABASE_URL=servers.database_url, DATABASE_APP_URL=servers.app_url)
    if not redis_url:
        found["REDIS_URL"] = servers.redis_url
    return servers, found


def check_redis(url: str) -> None:
    try:
        redis.from_url(url, socket_connect_timeout=5, socket_timeout=5).ping()
    except (redis.RedisError, ValueError, OSError) as error:
        raise StartupFault(f"The Redis of REDIS_URL can't be used: {error}") from error


def prepare(environment: dict[str, str], var: Path) -> None:
    """Schema, static files, and on the first run the administrator, the project, its facts and keys."""
    tell("Preparing the schema and the console's files")
    manage(["collectstatic", "--noinput", "--verbosity", "0"], environment, var)
    manage(["migrate", "--verbosity", "0"], environment, var)
    manage(["bootstrap"], environment, var, shown=True)


def manage(arguments: list[str], environment: dict[str, str], var: Path, *, shown: bool = False) -> None:
    """One command to its end. Its output is shown, or kept for the log; a failure is its last line."""
    sys.stdout.flush()
    done = subprocess.run(
        [sys.executable, str(BASE / "manage.py"), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=None if shown else subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        log = var / "log" / "up.log"
        with log.open("a") as file:
            file.write((done.stdout or "") + done.stderr)
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise StartupFault(f"`manage.py {arguments[0]}` failed: {last} (log: {log})")
    sys.stderr.write(done.stderr)


def children(options: argparse.Namespace, var: Path, listener: int) -> list[Child]:
    python = [sys.executable, "-m"]
    web = [*python, "memoryplane.web", "--listener", str(listener)]
    celery = [*python, "celery", "--quiet", "-A", "memoryplane"]
    worker = [*celery, "worker", "--loglevel", "INFO", "--concurrency", "1", "--prefetch-multiplier", "1"]
    worker += ["--without-gossip", "--without-mingle", "--hostname"]
    schedule = ["--schedule", str(var / "schedule"), "--pidfile", ""]
    return [
        *(Child(f"web{n}", web, pass_fds=(listener,)) for n in range(1, options.web + 1)),
        *(Child(f"worker{n}", [*worker, f"worker{n}@%h"]) for n in range(1, options.workers + 1)),
        # As the owner, which alone may write over what an erasure deleted.
        Child("purge", [sys.executable, str(BASE / "manage.py"), "purge", "--watch"]),
        Child("beat", [*celery, "beat", "--loglevel", "WARNING", *schedule]),
    ]


def supervise(
    options: argparse.Namespace,
    environment: dict[str, str],
    var: Path,
    servers: embedded.Servers | None,
    address: str,
    listener: socket.socket,
) -> int:
    probe = f"http://{shown_host(options.host)}:{options.port}/readyz"
    begun = time.monotonic()

    def is_ready() -> bool:
        if time.monotonic() - begun > READY_SECONDS:
            raise StartupFault(f"{probe} did not say it is ready in 2 minutes (log: {log}).")
        return answers(probe, urlsplit(address).netloc)

    def on_ready() -> None:
        tell(f"memoryplane is up: {address}  (Ctrl-C stops it)")

    log = var / "log" / "memoryplane.log"
    os.chdir(BASE)
    processes = children(options, var, listener.fileno())
    # Closed first, and the web processes close theirs: who connects then is refused and does not wait in vain.
    return Supervisor(processes, environment, var, log, servers, is_ready, on_ready, listener.close).run()


def answers(url: str, host: str) -> bool:
    """Asked under the public name: behind a proxy it may be the only one that is answered."""
    request = urllib.request.Request(url, headers={"Host": host})  # noqa: S310  (our own http address)
    try:
        with urllib.request.urlopen(request, timeout=1):  # noqa: S310
            return True
    except OSError:
        return False


def shown_host(host: str) -> str:
    """A listening address as one can be asked under it."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def tell(text: str) -> None:
    print(text, flush=True)
