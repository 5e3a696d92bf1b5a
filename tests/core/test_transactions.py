"""Units of work: most tests run inside the test's transaction and once more with real commits."""

import pytest
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.transaction import TransactionManagementError

from apps.core.transactions import bind, bound_project, in_unit, on_before_commit, unit
from tests.core.committed import add_project, setting, slugs


def test_a_unit_keeps_or_undoes_its_work(database: None) -> None:
    with unit():
        assert in_unit()
        add_project("kept")
    with pytest.raises(ZeroDivisionError), unit():
        add_project("undone")
        raise ZeroDivisionError
    with unit():
        with pytest.raises(ZeroDivisionError), unit():
            add_project("undone")
            raise ZeroDivisionError
        assert in_unit()
        add_project("outer")
    assert slugs() == ["kept", "outer"]


def test_a_unit_decorates_too(database: None) -> None:
    @unit()
    def work() -> bool:
        return in_unit()

    assert (work(), work()) == (True, True)


def test_callbacks_run_once_last_and_in_order(database: None) -> None:
    log: list[str] = []

    def note(word: str) -> None:
        log.append(f"{word} {len(slugs())}")

    with unit():
        on_before_commit(lambda: note("first"))
        with unit():
            on_before_commit(lambda: note("nested"))
            add_project("one")
        assert log == []
        on_before_commit(lambda: note("last"))
        add_project("two")
    assert log == ["first 2", "nested 2", "last 2"]
    with unit():
        pass
    assert len(log) == 3


def test_callbacks_are_part_of_the_unit(database: None) -> None:
    with unit():
        on_before_commit(lambda: add_project("by-callback"))
    assert slugs() == ["by-callback"]


def test_a_callback_may_register_another_which_runs_after_those_waiting(database: None) -> None:
    log: list[str] = []

    def first() -> None:
        log.append("first")
        on_before_commit(lambda: log.append("flush"))

    with unit():
        on_before_commit(first)
        on_before_commit(lambda: log.append("second"))
    assert log == ["first", "second", "flush"]


def test_callbacks_of_a_nested_unit_that_raised_are_dropped(database: None) -> None:
    log: list[str] = []
    with unit():
        on_before_commit(lambda: log.append("outer"))
        with pytest.raises(ZeroDivisionError), unit():
            on_before_commit(lambda: log.append("inner"))
            with unit():
                on_before_commit(lambda: log.append("innermost"))
            raise ZeroDivisionError
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            on_before_commit(lambda: log.append("plain savepoint"))
            with unit():
                on_before_commit(lambda: log.append("unit in a plain savepoint"))
            raise ZeroDivisionError
        with unit():
            on_before_commit(lambda: log.append("kept"))
    assert log == ["outer", "kept"]


def test_no_callback_runs_on_rollback(database: None) -> None:
    log: list[str] = []
    with pytest.raises(ZeroDivisionError), unit():
        on_before_commit(lambda: log.append("never"))
        raise ZeroDivisionError
    with unit():
        pass
    assert log == []


def test_an_error_in_a_callback_undoes_the_unit(database: None) -> None:
    log: list[str] = []
    with pytest.raises(ZeroDivisionError), unit():
        add_project("undone")
        on_before_commit(lambda: log.append("ran"))
        on_before_commit(lambda: 1 / 0)
        on_before_commit(lambda: log.append("never"))
    assert (slugs(), log) == ([], ["ran"])
    with unit():
        pass
    assert log == ["ran"]


def test_a_transaction_doomed_without_an_error_runs_no_callback(database: None) -> None:
    log: list[str] = []
    with unit():
        on_before_commit(lambda: log.append("never"))
        add_project("undone")
        transaction.set_rollback(True)
    assert (slugs(), log) == ([], [])


def test_a_nested_unit_doomed_without_an_error_drops_its_own(database: None) -> None:
    log: list[str] = []
    with unit():
        with bind(7):
            on_before_commit(lambda: log.append("never"))
            transaction.set_rollback(True)
        assert setting() == ""
        on_before_commit(lambda: log.append("outer"))
    assert log == ["outer"]


def test_callbacks_need_a_unit(database: None) -> None:
    with pytest.raises(RuntimeError, match="open unit"):
        on_before_commit(lambda: None)
    with transaction.atomic(), pytest.raises(RuntimeError, match="open unit"):
        on_before_commit(lambda: None)


def test_a_database_error_leaves_the_outer_unit_usable(database: None) -> None:
    with unit():
        add_project("same")
        with pytest.raises(IntegrityError), bind(3):
            add_project("same")
        assert (bound_project(), setting()) == (None, "")
        add_project("other")
    assert slugs() == ["same", "other"]


def test_a_caught_database_error_cannot_pass_as_success(database: None) -> None:
    with pytest.raises((DatabaseError, TransactionManagementError)), unit():
        add_project("same")
        with bind(3), pytest.raises(IntegrityError):
            add_project("same")
    assert slugs() == []


def test_nothing_is_seen_by_others_before_the_callbacks_are_through(fresh_db: str) -> None:
    other = connections["default"].copy()
    seen: list[int] = []

    def look() -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM tenancy_project")
            seen.append(cursor.fetchone()[0])

    try:
        with unit():
            add_project("one")
            on_before_commit(look)
            transaction.on_commit(look)
    finally:
        other.close()
    assert seen == [0, 1]


def test_a_lost_connection_leaves_no_unit_open(fresh_db: str) -> None:
    log: list[str] = []
    with pytest.raises(DatabaseError), unit():
        on_before_commit(lambda: log.append("never"))
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        add_project("lost")
    assert not in_unit()
    with bind(1):
        assert setting() == "1"
    assert (slugs(), log) == ([], [])
