"""After a purge the words of an erased person are in no file of the cluster, nor in what the planner knows."""

import os
import time
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from apps.core.transactions import bind
from apps.privacy.actions.purge_residue import purge_residue
from apps.privacy.models import Purge
from memoryplane.embedded.postgres import PORT
from tests.factories import make_agent, make_project
from tests.privacy.stage import approved, fresh, learned, work

CANARY = "Zanzibarquetzal"


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
