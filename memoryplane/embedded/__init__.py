"""A local PostgreSQL and Redis for when no URL is given. Needs no Django.

`start` returns once both answer; the caller must stay alive in the thread that called it (on Linux the
kernel stops the servers with it, even after kill -9) and call `stop`.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from memoryplane.embedded.home import Home, StartupFault, make_folder, open_home
from memoryplane.embedded.postgres import APP, OWNER, Postgres
from memoryplane.embedded.redis import Redis

__all__ = ["Servers", "StartupFault", "start"]


@dataclass
class Servers:
    """The running servers. A URL is '' for one that was not asked for.

    database_url    owner role (may make databases and roles, is no superuser)
    app_url         application role (connects, and whatever the migrations grant)
    redis_url       unix:// form
    """

    home: Home
    running: list[Postgres | Redis] = field(default_factory=list)
    database_url: str = ""
    app_url: str = ""
    redis_url: str = ""

    def processes(self) -> list[tuple[str, subprocess.Popen[bytes]]]:
        return [(server.name, server.process) for server in self.running if server.process is not None]

    def revive(self) -> list[str]:
        """Start each server again that has ended, without waiting for it; returns their names."""
        dead = [server for server in self.running if server.process is not None and server.process.poll() is not None]
        for server in dead:
            server.launch()
        return [server.name for server in dead]

    def stop(self) -> None:
        """Stop all, newest first, and let the folder go. A throwaway folder is removed."""
        for server in reversed(self.running):
            server.stop()
        self.running.clear()
        self.home.release()


def start(
    root: Path,
    *,
    log_dir: Path | None = None,
    throwaway: bool = False,
    postgres: bool = True,
    redis: bool = True,
    cluster: Path | None = None,
) -> Servers:
    """Start the servers over the data in `root` (a fresh temporary folder when `throwaway`). Logs go to
    `log_dir`, else beside the data. A new database begins as a copy of `cluster`, a stopped one's folder, if given.

    Raises StartupFault, with everything stopped again, when one does not start or another process holds the
    data.
    """
    servers = Servers(open_home(root, throwaway=throwaway))
    log_dir = log_dir or servers.home.path / "log"
    try:
        make_folder(log_dir, 0o700)
        if postgres:
            database = Postgres(servers.home, log_dir / "postgres.log", cluster)
            servers.running.append(database)
            database.start()
            servers.database_url, servers.app_url = database.url(OWNER), database.url(APP)
        if redis:
            store = Redis(servers.home, log_dir / "redis.log")
            servers.running.append(store)
            store.start()
            servers.redis_url = store.url
    except BaseException:
        servers.stop()
        raise
    return servers
