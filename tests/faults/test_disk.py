"""PostgreSQL whose disk is full: writes are refused and half of none is there, pages are still shown, and room is all it needs."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.browserless import Person
from tests.factories import PASSWORD, make_fact
from tests.faults.load import Desk, Load, verify
from tests.faults.plane import Plane, waited
from tests.faults.scale import report, scaled
from tests.live import Live

ROOM = 48 << 20
"""Bytes that are free beside the database before the disk is filled."""


@pytest.fixture
def small_disk(plane: Plane) -> Iterator[Path]:
    """The folder of PostgreSQL's data on a file system of its own that is little larger than the data."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a full disk is not tried: only root may mount a small file system for PostgreSQL's data")
    data = plane.servers.home.postgres
    before = data.with_name("postgres-before")
    plane.stop_postgres()
    data.rename(before)
    size = sum(file.lstat().st_blocks * 512 for file in before.rglob("*")) + ROOM
    owner = before.stat()
    data.mkdir()
    tried = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700,uid={owner.st_uid},gid={owner.st_gid}", "tmpfs", data],
        capture_output=True, text=True,
    )  # fmt: skip
    if tried.returncode:
        data.rmdir()
        before.rename(data)
        plane.start_postgres()
        pytest.skip(f"a full disk is not tried: no small file system can be mounted here ({tried.stderr.strip()})")
    subprocess.run(["cp", "-a", f"{before}/.", data], check=True)
    plane.start_postgres()
    yield data
    for live in reversed(plane.processes):
        live.stop()
    plane.stop_postgres()
    subprocess.run(["umount", data], check=True)
    data.rmdir()
    before.rename(data)


def fill(disk: Path) -> int:
    """Bytes that were written until nothing more went on it."""
    written, piece = 0, b"x" * (64 << 10)
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                written += file.write(piece)
        except OSError:
            return written


def writes(web: Live, desk: Desk) -> bool:
    body = {"scope": "agent", "agent": "support", "scope_id": "support", "content": "There is room again."}
    return httpx.post(f"{web.url}/v1/facts", json=body, headers={"X-API-Key": desk.key}, timeout=30).is_success


def test_full_writes_are_refused_whole_and_room_is_all_it_needs(plane: Plane, small_disk: Path) -> None:
    desk, seconds = Desk.make(), scaled("SECONDS", 5, 60)
    make_fact(desk.project, "Refunds take five days.")
    web, mix = plane.web(), {"trace": 5, "fact": 2}
    person = Person(web.url, desk.email, PASSWORD)
    with Load(desk, web, rate=15, mix=mix, prefix="before") as before:
        time.sleep(2)
    assert all(one.ok for one in before.asked)
    filled = fill(small_disk)
    pages = []
    with Load(desk, web, rate=15, mix=mix, prefix="full") as full:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pages += [person.http.get(f"/p/acme/{page}").status_code for page in ("facts", "traces", "review")]
            time.sleep(0.2)
    assert full.unforeseen() == []
    refused = sum(one.away for one in full.asked)
    assert refused > 0 and set(pages) == {200}, (full.statuses(), pages)
    assert plane.postgres.process is not None and plane.postgres.process.poll() is None
    (small_disk / "filler").unlink()
    took = waited("a write", 60, lambda: writes(web, desk))
    plane.worker()
    with Load(desk, web, rate=15, mix=mix, prefix="after") as after:
        time.sleep(2)
    assert all(one.ok for one in after.asked)
    assert verify(desk.project, before.asked + full.asked + after.asked) == []
    report(
        "F10 disk full",
        seconds=seconds, filled=f"{filled >> 20} MB", writes=len(full.asked), refused=refused,
        promised=sum(one.ok for one in full.asked), pages=len(pages), pages_refused=0, lost=0, halves=0,
        a_write_after=f"{took:.1f} s",
    )  # fmt: skip
