"""Where the embedded servers live: data folder, lock, socket folder, account and binaries."""

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOTS_HOME = Path("/var/lib/memoryplane")
THROWAWAY_PREFIX = "mp-test-"
# The limit on the path of a unix socket is 107 bytes on Linux and 103 on macOS; the longest name put in the
# folder is Postgres' ".s.PGSQL.5432.lock".
SOCKET_FOLDER_LIMIT = 103 - len("/.s.PGSQL.5432.lock")


class StartupFault(Exception):
    """A start that cannot go on; str() is one clear sentence for the person at the terminal."""


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int


@dataclass
class Home:
    """One set of servers' place on disk, held by this process until `release`.

    path        folder that is ours (root: /var/lib/memoryplane/<hash>, else the var folder itself)
    sockets     short folder for both unix sockets, mode 700
    account     whom the servers run as; None = the current user, who is not root
    throwaway   everything goes when the servers stop
    """

    path: Path
    sockets: Path
    account: Account | None
    throwaway: bool
    lock: IO[str]

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def redis(self) -> Path:
        return self.path / "redis"

    def own(self, folder: Path) -> Path:
        """Make `folder` (mode 700) for the servers' account."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if self.account is not None:
            os.chown(folder, self.account.uid, self.account.gid)
        return folder

    def release(self) -> None:
        if self.throwaway:
            shutil.rmtree(self.path, ignore_errors=True)
        elif self.sockets.parent != self.path:
            with suppress(OSError):  # something of ours is still in it: the next start uses it again
                self.sockets.rmdir()
        self.lock.close()


def open_home(root: Path, *, throwaway: bool) -> Home:
    """Claim the place of the servers for this process. Raises StartupFault when another process has it."""
    as_root = os.geteuid() == 0
    if throwaway:
        sweep_abandoned()
        path = Path(tempfile.mkdtemp(prefix=THROWAWAY_PREFIX, dir="/tmp"))
        path.chmod(0o711)
    elif as_root:
        path = roots_path(root)
    else:
        path = root
        make_folder(path, 0o700)
    lock = claim(path)
    try:
        account = choose_account(path / "postgres") if as_root else None
        home = Home(path, path, account, throwaway, lock)
        home.sockets = socket_folder(home, as_root or throwaway)
        return home
    except BaseException:
        lock.close()
        raise


def data_of(root: Path) -> Path | None:
    """The database that an earlier run left for this place, or None. Changes nothing."""
    places = [root / "postgres", root / "data" / "postgres"]
    if os.geteuid() == 0:
        # A folder that was removed and cloned again finds what root's servers kept outside it.
        places.append(ROOTS_HOME / short_hash(root.resolve()) / "postgres")
    return next((place.resolve() for place in places if place.exists()), None)


def roots_path(root: Path) -> Path:
    """Root's data lies outside the checkout: Postgres refuses to run as root, and an unprivileged account
    often cannot reach the checkout (under /root, say), whose folders we must not open to everybody.

    `<root>/data` links there. The link is followed first, so that a checkout that was moved keeps its data.
    """
    link = root / "data"
    if link.is_symlink() and link.exists() and link.resolve().parent == ROOTS_HOME:
        return link.resolve()
    path = ROOTS_HOME / short_hash(root.resolve())
    make_folder(root, 0o700)
    make_folder(ROOTS_HOME, 0o755)
    make_folder(path, 0o711)
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    return path


def make_folder(path: Path, mode: int) -> None:
    """Make a folder that does not exist yet; an existing one, and every parent, keeps its mode."""
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise StartupFault(f"The folder {path} cannot be made: {error.strerror}.") from error


def short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def claim(path: Path) -> IO[str]:
    """An flock, because the kernel drops it with the process: no pid to read, none to go stale."""
    try:
        lock = (path / "lock").open("a")
    except OSError as error:
        raise StartupFault(f"The folder {path} is not writable for this user: {error.strerror}.") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise StartupFault(
            f"Another running `up` holds the data in {path}: stop it first, or use a checkout of its own."
        ) from error
    return lock


def choose_account(data: Path) -> Account:
    """The unprivileged account for the servers when we are root: the owner of existing data, else an account
    made for us or for Postgres, else one that we make, else `nobody`.

    Existing data comes first, so that an account which another package adds later changes nothing. `nobody`
    is last because other services run as it too and could read the files.
    """
    if data.exists():
        entry = pwd.getpwuid(data.stat().st_uid)
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    found = find_account("memoryplane") or find_account("postgres")
    if found is None and (useradd := shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")):
        command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "memoryplane"]
        # A refusal (a read-only /etc, say) is fine: the next line falls back.
        subprocess.run(command, capture_output=True, check=False)
        found = find_account("memoryplane")
    found = found or find_account("nobody")
    if found is None:
        raise StartupFault(
            "Postgres does not run as root, and there is no account memoryplane, postgres or nobody here."
        )
    return found


def find_account(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid) if entry.pw_uid != 0 else None


def socket_folder(home: Home, inside: bool) -> Path:
    """A folder whose path is short enough for a socket: inside our own short path, else in /tmp, where a name
    that somebody else took first is refused.
    """
    if inside:
        return home.own(home.path / "s")
    folder = Path(f"/tmp/mp-{short_hash(home.path.resolve())}-{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise StartupFault(f"The folder {folder} for the local sockets belongs to somebody else; remove it.")
    folder.chmod(0o700)
    if len(os.fsencode(folder)) > SOCKET_FOLDER_LIMIT:
        raise StartupFault(f"The path {folder} is too long for a unix socket.")
    return folder


def package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise StartupFault(f"The Python package {package} is missing: run `make setup`.")
    return Path(spec.submodule_search_locations[0])


def programs(package: str, distribution: str, home: Home) -> Path:
    """The folder of an installed package with server binaries, readable for the servers' account.

    As root this is a copy under /var/lib/memoryplane, made once a version, owned by root: the account may run
    it and not change it.
    """
    folder = package_folder(package)
    if home.account is None:
        return folder
    version = importlib.metadata.version(distribution)
    copy = ROOTS_HOME / f"{package}-{version}"
    make_folder(ROOTS_HOME, 0o755)
    if not copy.exists():
        part = Path(tempfile.mkdtemp(prefix=f"{package}.", dir=ROOTS_HOME))
        part.chmod(0o755)
        # The binaries look for their libraries beside the package, in "<package>.libs".
        for source in (folder, folder.with_name(f"{package}.libs")):
            if source.exists():
                shutil.copytree(source, part / source.name, ignore=shutil.ignore_patterns("include", "__pycache__"))
        open_for_all(part)
        try:
            part.rename(copy)
        except OSError:  # another start was quicker
            shutil.rmtree(part)
    return copy / package


def open_for_all(folder: Path) -> None:
    """Readable whatever umask the package was installed under."""
    for path in [folder, *folder.rglob("*")]:
        mode = path.stat().st_mode
        path.chmod(0o755 if path.is_dir() or mode & stat.S_IXUSR else 0o644)


def sweep_abandoned() -> None:
    """Remove throwaway folders of test runs that were killed: nobody holds their lock."""
    for path in Path("/tmp").glob(f"{THROWAWAY_PREFIX}*"):
        try:
            found = path.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or time.time() - found.st_mtime < 60:
                continue
            claim(path).close()
        except (StartupFault, FileNotFoundError):
            # Somebody's, or another run has just removed it.
            continue
        shutil.rmtree(path, ignore_errors=True)
