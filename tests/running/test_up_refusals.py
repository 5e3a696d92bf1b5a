"""Each start-up fault is one clear sentence and exit code 1, and nothing is left running or half made."""

import os
import socket
from pathlib import Path

import pytest

from memoryplane import secretsfile
from tests.running.conftest import up


def sentence(done: object) -> str:
    assert done.returncode == 1  # type: ignore[attr-defined]
    text = str(done.stderr)  # type: ignore[attr-defined]
    assert "Traceback" not in text
    assert text.startswith("memoryplane: ") and text.count("\n") == 1
    return text


def test_a_port_in_use(var: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 is in use" in sentence(up(var, "--port", str(port)))
    assert sorted(path.name for path in var.iterdir()) == ["log", "up.lock"]


def test_an_address_that_is_not_ours(var: Path) -> None:
    assert "can't be listened on" in sentence(up(var, "--host", "203.0.113.7"))


def test_a_redis_that_is_away(var: Path) -> None:
    assert "The Redis of REDIS_URL can't be used" in sentence(up(var, REDIS_URL=f"unix://{var}/none.sock"))


def test_a_database_that_is_away(var: Path) -> None:
    url = f"postgresql://boss:hidden@/given?host={var}"
    said = sentence(up(var, DATABASE_URL=url))
    assert "The database of DATABASE_URL can't be reached" in said and "hidden" not in said


def test_an_application_role_without_an_owner(var: Path) -> None:
    assert "without DATABASE_URL" in sentence(up(var, DATABASE_APP_URL="postgresql://a@/b?host=/c"))


@pytest.mark.parametrize(("name", "text"), [("MEMORYPLANE_SETTLE_SECOND", "5"), ("MEMORYPLANE_DEBUG", "yes")])
def test_a_setting_that_is_unknown_or_unusable(var: Path, name: str, text: str) -> None:
    assert name in sentence(up(var, **{name: text}))
    assert not (var / "postgres").exists() and not (var / "data").exists()


def test_secrets_lost_beside_data(var: Path) -> None:
    (var / "postgres").mkdir(parents=True)
    assert "restore that file from your backup" in sentence(up(var))
    assert not secretsfile.path_in(var).exists()


def test_a_folder_that_cannot_be_made(var: Path) -> None:
    var.write_text("a file is in the way")
    assert f"The folder {var} cannot be made" in sentence(up(var))


def test_another_up_on_the_same_folder(var: Path) -> None:
    import fcntl

    var.mkdir()
    with (var / "up.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(str(os.getpid()))
        lock.flush()
        assert f"runs on {var} already (process {os.getpid()})" in sentence(up(var))
