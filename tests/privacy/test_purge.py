"""After a purge the words of an erased person are in no file of the cluster, nor in what the planner knows."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from apps.core.clock import now
from apps.core.transactions import bind
from apps.privacy import purging
from apps.privacy.actions.purge_residue import purge_residue
from apps.privacy.models import Purge, Receipt
from memoryplane.embedded.postgres import PORT
from memoryplane.env import Env, EnvError
from tests.factories import make_agent, make_project
from tests.privacy.stage import approved, fresh, learned, work

purge_residue_module = sys.modules["apps.privacy.actions.purge_residue"]
CANARY = "Zanzibarquetzal"


@pytest.fixture(autouse=True)
def alone_in_the_cluster() -> Iterator[None]:
    """The processes of a test run share a cluster: another one's purge would end the log that a test here looks for, and
    another one's rows hold the same word."""
    with (Path(os.environ["MPTEST_SOCKETS"]) / "purge.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cluster() -> Path:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT 1")
    return Path(os.environ["MPTEST_SOCKETS"]).parent


def files_with(word: bytes) -> set[str]:
    """The kinds of files of the cluster that hold the word: base (tables and indexes), pg_wal."""
    data = next(path.parent for path in cluster().rglob("PG_VERSION") if (path.parent / "base").is_dir())
    found = set()
    for folder in ("base", "pg_wal", "global"):
        for path in (data / folder).rglob("*"):
            try:
                if path.is_file() and word in path.read_bytes():
                    found.add(folder)
            except FileNotFoundError:  # removed meanwhile
                continue
    return found


def statistics_with(word: str) -> int:
    """Columns whose commonest values name it. Row-level security hides them from the product's roles, not from a superuser."""
    name = connections["owner"].settings_dict["NAME"]
    with psycopg.connect(host=os.environ["MPTEST_SOCKETS"], port=PORT, user="postgres", dbname=name) as superuser:
        row = superuser.execute(
            "SELECT count(*) FROM pg_stats WHERE most_common_vals::text LIKE %s OR histogram_bounds::text LIKE %s",
            [f"%{word}%", f"%{word}%"],
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_no_file_holds_the_words_any_more(fresh_db: str) -> None:
    project = make_project()
    make_agent(project, "support")
    said = f"I live in {CANARY}. I prefer {CANARY} email. My name is {CANARY}."
    for number in range(3):
        learned(project, f"t{number}", said, user="ada")
    request = approved(project, "ada")
    with connections["owner"].cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("ANALYZE traces_message")
    assert files_with(CANARY.encode()) == {"base", "pg_wal"}
    assert statistics_with(CANARY) > 0
    assert work(project) == ["waits"]
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM traces_message")
        assert cursor.fetchone() == (0,)
    # The rows are gone, and the words are still there.
    assert files_with(CANARY.encode()) == {"base", "pg_wal"}
    connections["default"].close()

    done = purge_residue()
    assert done is not None
    assert (done.failed, done.report["blocked_by"]) == (False, [])
    assert {step["step"] for step in done.report["steps"]} == {"rewritten", "write-ahead log switched"}
    assert statistics_with(CANARY) == 0
    assert files_with(CANARY.encode()) == set()

    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("UPDATE privacy_privacyrequest SET not_before = NULL")
    assert work(project) == ["completed"]
    assert fresh(request).progress["purged"]["not_checked"] == [
        "blocks that the file system has freed: encrypt the disk"
    ]


def test_an_old_snapshot_is_named_and_the_request_waits(fresh_db: str) -> None:
    project = make_project()
    make_agent(project, "support")
    learned(project, "t", "I live in Lisbon.", user="ada")
    request = approved(project, "ada")
    assert work(project) == ["waits"]
    begun, enough = Event(), Event()

    def pin() -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT count(*) FROM facts_fact")
            begun.set()
            enough.wait(60)
            cursor.execute("ROLLBACK")
        connections["owner"].close()

    holder = Thread(target=pin)
    holder.start()
    begun.wait(30)
    time.sleep(10.5)  # younger ones end by themselves
    connections["default"].close()
    with pytest.raises(CommandError):
        call_command("purge")
    waiting = Purge.objects.using("owner").get()
    assert waiting.finished_at is None
    assert [row["kind"] for row in waiting.report["blocked_by"]] == ["session"]
    assert fresh(request).state == "purging"
    enough.set()
    holder.join()
    call_command("purge")
    assert Purge.objects.using("owner").get().finished_at is not None


def test_without_a_rewrite_the_report_says_what_may_be_left(fresh_db: str) -> None:
    connections["default"].close()
    assert purge_residue(rewrite=False) is None
    done = purge_residue(rewrite=False, force=True)
    assert done is not None and not done.failed
    assert done.report["not_checked"][0] == "free space in table files, until a purge with a rewrite"


def heap_of(table: str) -> int:
    """The number of the file that the table's rows are in."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT relfilenode::bigint FROM pg_class WHERE oid = %s::regclass", [table])
        return int(cursor.fetchone()[0])


def hours_from_now(first: int, last: int) -> tuple[int, int]:
    hour = now().hour
    return (hour + first) % 24, (hour + last) % 24


def test_outside_the_window_rows_are_vacuumed_and_the_rewrite_is_made_up_for(
    fresh_db: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_residue_module, "AGAIN", timedelta(0))
    settings.PURGE_WINDOW = hours_from_now(2, 4)
    project = make_project()
    make_agent(project, "support")
    learned(project, "t", f"I live in {CANARY}. I prefer {CANARY} email.", user="ada")
    request = approved(project, "ada")
    assert work(project) == ["waits"]
    connections["default"].close()
    heap = heap_of("traces_message")
    done = purge_residue()
    assert done is not None and (done.failed, done.rewrite_due, done.rewritten_at) == (False, True, None)
    assert {step["step"] for step in done.report["steps"] if step["table"] not in {"", "pg_statistic"}} == {
        "vacuumed and reindexed"
    }
    begin, end = settings.PURGE_WINDOW
    said = f"free space in table files: written anew between {begin:02}:00 and {end:02}:00 UTC"
    assert said in done.report["not_checked"]
    assert purge_residue() is None
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("UPDATE privacy_privacyrequest SET not_before = NULL")
    assert work(project) == ["completed"]
    with bind(project.id):
        assert said in Receipt.objects.get(request_id=request.id).body["not_checked"]
    connections["default"].close()
    assert heap_of("traces_message") == heap
    settings.PURGE_WINDOW = hours_from_now(0, 2)
    later = purge_residue()
    assert later is not None and later.id == done.id and not later.rewrite_due and later.rewritten_at is not None
    assert heap_of("traces_message") != heap and files_with(CANARY.encode()) == set()
    assert purge_residue() is None


def test_a_busy_table_is_left_for_later_and_named(
    fresh_db: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_residue_module, "AGAIN", timedelta(0))
    monkeypatch.setattr(purging, "PAUSE", 0)
    settings.PURGE_LOCK_SECONDS = 0.1
    connections["default"].close()
    begun, enough = Event(), Event()

    def use() -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE traces_message IN ACCESS SHARE MODE")
            begun.set()
            enough.wait(60)
            cursor.execute("ROLLBACK")
        connections["owner"].close()

    user = Thread(target=use)
    user.start()
    begun.wait(30)
    vacuum = purging._vacuum

    def when_free(*given: Any) -> None:
        enough.set()
        user.join()
        vacuum(*given)

    monkeypatch.setattr(purging, "_vacuum", when_free)
    done = purge_residue(force=True)
    assert done is not None and not done.failed and done.rewrite_due
    assert done.report["pending"] == ["traces_message"]
    assert done.report["not_checked"][0] == (
        "free space in the files of traces_message, which were in use: until a purge with a rewrite"
    )
    later = purge_residue()
    assert later is not None and later.id == done.id and not later.rewrite_due
    assert purge_residue() is None


@pytest.mark.parametrize(
    ("window", "hours"), [((2, 5), {2, 3, 4}), ((22, 2), {22, 23, 0, 1}), ((23, 0), {23}), (None, set(range(24)))]
)
def test_the_hours_of_the_window(window: tuple[int, int] | None, hours: set[int], settings: Any) -> None:
    settings.PURGE_WINDOW = window
    day = datetime(2026, 3, 1, tzinfo=UTC)
    assert {hour for hour in range(24) if purging.in_window(day + timedelta(hours=hour, minutes=59))} == hours


@pytest.mark.parametrize("wrong", ["2", "5-5", "24-3", "a-b", "-", "2-25", "1-2-3", "0-24"])
def test_a_window_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(EnvError):
        Env({"MEMORYPLANE_PURGE_WINDOW": wrong}, {}).hours("MEMORYPLANE_PURGE_WINDOW")
