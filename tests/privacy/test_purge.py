"""After a purge the words of an erased person are in no file of the cluster, nor in what the planner knows.

Each test has a cluster of its own (`plane`): in a shared one another test's rows hold the same word, its purge ends the log
that a test here looks for, and whatever it has written and not committed is waited for.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event, Thread, Timer
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
from memoryplane.embedded.postgres import APP, OWNER
from memoryplane.env import Env, EnvError
from tests.factories import make_agent, make_project
from tests.faults.plane import DATABASE, Plane
from tests.privacy.stage import approved, fresh, learned, work

purge_residue_module = sys.modules["apps.privacy.actions.purge_residue"]
CANARY = "Zanzibarquetzal"


def files_with(plane: Plane, word: bytes) -> set[str]:
    """The kinds of files of the cluster that hold the word: base (tables and indexes), pg_wal."""
    found = set()
    for folder in ("base", "pg_wal", "global"):
        for path in (plane.postgres.home.postgres / folder).rglob("*"):
            try:
                if path.is_file() and word in path.read_bytes():
                    found.add(folder)
            except FileNotFoundError:  # removed meanwhile
                continue
    return found


def statistics_with(plane: Plane, word: str) -> int:
    """Columns whose commonest values name it. Row-level security hides them from the product's roles, not from a superuser."""
    with plane.postgres.connect(DATABASE) as superuser:
        row = superuser.execute(
            "SELECT count(*) FROM pg_stats WHERE most_common_vals::text LIKE %s OR histogram_bounds::text LIKE %s",
            [f"%{word}%", f"%{word}%"],
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_no_file_holds_the_words_any_more(plane: Plane) -> None:
    project = make_project()
    make_agent(project, "support")
    said = f"I live in {CANARY}. I prefer {CANARY} email. My name is {CANARY}."
    for number in range(3):
        learned(project, f"t{number}", said, user="ada")
    request = approved(project, "ada")
    with connections["owner"].cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("ANALYZE traces_message")
    assert files_with(plane, CANARY.encode()) == {"base", "pg_wal"}
    assert statistics_with(plane, CANARY) > 0
    assert work(project) == ["waits"]
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM traces_message")
        assert cursor.fetchone() == (0,)
    # The rows are gone, and the words are still there.
    assert files_with(plane, CANARY.encode()) == {"base", "pg_wal"}
    connections["default"].close()

    done = purge_residue()
    assert done is not None
    assert (done.failed, done.report["blocked_by"]) == (False, [])
    assert {step["step"] for step in done.report["steps"]} == {"rewritten", "write-ahead log switched"}
    assert statistics_with(plane, CANARY) == 0
    assert files_with(plane, CANARY.encode()) == set()

    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("UPDATE privacy_privacyrequest SET not_before = NULL")
    assert work(project) == ["completed"]
    assert fresh(request).progress["purged"]["not_checked"] == [
        "blocks that the file system has freed: encrypt the disk"
    ]


def in_this_database(plane: Plane) -> psycopg.Connection[Any]:
    """A snapshot of before the erasure, of whichever role."""
    session = psycopg.connect(plane.postgres.url(APP, DATABASE))
    session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    session.execute("SELECT count(*) FROM facts_fact")
    return session


def in_another_database(plane: Plane) -> psycopg.Connection[Any]:
    """A transaction that has written: a rewrite here sees it as running."""
    session = psycopg.connect(plane.postgres.url(OWNER, "postgres"))
    session.execute("CREATE TEMPORARY TABLE t ()")
    return session


@pytest.mark.parametrize("who", [in_this_database, in_another_database])
def test_who_began_before_is_named_and_the_request_waits(
    plane: Plane, who: Callable[[Plane], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "PATIENCE", 0.2)
    project = make_project()
    make_agent(project, "support")
    learned(project, "t", f"I live in {CANARY}.", user="ada")
    with who(plane) as session:
        request = approved(project, "ada")
        assert work(project) == ["waits"]
        connections["default"].close()
        heap = heap_of("traces_message")
        with pytest.raises(CommandError):
            call_command("purge")
        waiting = Purge.objects.using("owner").get()
        assert waiting.finished_at is None
        pid = str(session.info.backend_pid)
        assert waiting.report["blocked_by"] == [{"kind": "session", "name": pid, "state": "idle in transaction"}]
        assert fresh(request).state == "purging"
        connections["default"].close()
        assert heap_of("traces_message") == heap and files_with(plane, CANARY.encode()) == {"pg_wal"}
        session.rollback()
    call_command("purge")
    assert Purge.objects.using("owner").get().finished_at is not None
    assert files_with(plane, CANARY.encode()) == set()


def test_who_ends_meanwhile_is_waited_for(plane: Plane) -> None:
    project = make_project()
    make_agent(project, "support")
    learned(project, "t", f"I live in {CANARY}.", user="ada")
    session = in_another_database(plane)
    approved(project, "ada")
    assert work(project) == ["waits"]
    connections["default"].close()
    later = Timer(0.5, session.close)
    later.start()
    done = purge_residue()
    later.join()
    assert done is not None and (done.failed, done.report["blocked_by"]) == (False, [])
    assert files_with(plane, CANARY.encode()) == set()


def test_without_a_rewrite_the_report_says_what_may_be_left(plane: Plane) -> None:
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
    plane: Plane, settings: Any, monkeypatch: pytest.MonkeyPatch
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
    assert heap_of("traces_message") != heap and files_with(plane, CANARY.encode()) == set()
    assert purge_residue() is None


def test_a_busy_table_is_left_for_later_and_named(plane: Plane, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
