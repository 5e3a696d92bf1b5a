"""Project bindings and local settings, as the application role under row-level security."""

import threading

import pytest
from django.db import DatabaseError, connection, connections

from apps.core.clock import LATEST
from apps.core.transactions import bind, bound_project, in_unit, local_setting, on_before_commit, unit
from tests.core.committed import add_project, add_subject, setting, subjects


def test_bindings_nest_and_come_back(database: None) -> None:
    with bind(1):
        assert (in_unit(), bound_project(), setting()) == (True, 1, "1")
        with bind(2):
            assert (bound_project(), setting()) == (2, "2")
            with bind(None):
                assert (bound_project(), setting()) == (None, "")
            assert (bound_project(), setting()) == (2, "2")
        assert (bound_project(), setting()) == (1, "1")
        with pytest.raises(ZeroDivisionError), bind(3):
            with bind(4):
                pass
            assert setting() == "3"
            raise ZeroDivisionError
        assert (bound_project(), setting()) == (1, "1")
        with unit():
            assert setting() == "1"
    with unit():
        assert (bound_project(), setting()) == (None, "")
        with bind(5):
            pass
        assert (bound_project(), setting()) == (None, "")
    with pytest.raises(ZeroDivisionError), bind(6):
        raise ZeroDivisionError


@pytest.mark.parametrize("wrong", [0, -1, True, "1", 1.0, "1' or '1"])
def test_only_ids_can_be_bound(db: None, wrong: int) -> None:
    with bind(1):
        with pytest.raises(ValueError, match="positive integer"), bind(wrong):
            pytest.fail("bound")
        assert (bound_project(), setting()) == (1, "1")


def test_a_binding_shows_the_rows_of_its_project_only(database: None) -> None:
    one, two = add_project("one"), add_project("two")
    with bind(one):
        add_subject(one, "ann")
        with bind(two):
            add_subject(two, "bob")
            assert subjects() == ["bob"]
        assert subjects() == ["ann"]
        with pytest.raises(DatabaseError, match="row-level security"), unit():
            add_subject(two, "eve")
        with bind(None):
            assert subjects() == []
        assert subjects() == ["ann"]
    assert subjects() == []


def test_callbacks_run_under_the_binding_they_were_registered_in(database: None) -> None:
    log: list[tuple[str, int | None, str]] = []

    def note(word: str) -> None:
        log.append((word, bound_project(), setting()))

    with unit():
        on_before_commit(lambda: note("none"))
        with bind(1):
            on_before_commit(lambda: note("one"))
            with bind(2):
                on_before_commit(lambda: note("two"))
            on_before_commit(lambda: note("one again"))
    with bind(3):
        on_before_commit(lambda: note("three"))
    assert log == [
        ("none", None, ""),
        ("one", 1, "1"),
        ("two", 2, "2"),
        ("one again", 1, "1"),
        ("three", 3, "3"),
    ]


def test_the_outermost_binding_costs_one_statement(fresh_db: str) -> None:
    statements: list[str] = []

    def note(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note), bind(1):
        on_before_commit(lambda: None)
    assert statements == [f"SELECT set_config('app.project_id', %s, true), {LATEST}"]


def test_a_local_setting_holds_for_its_block(database: None) -> None:
    with unit():
        with local_setting("app.erasing", 17):
            assert setting("app.erasing") == "17"
            with local_setting("app.erasing", "it's"):
                assert setting("app.erasing") == "it's"
            assert setting("app.erasing") == "17"
        assert setting("app.erasing") == ""
        with pytest.raises(ZeroDivisionError), local_setting("app.erasing", 18):
            raise ZeroDivisionError
        assert setting("app.erasing") == ""
    with local_setting("app.erasing", 19):
        assert in_unit()
    assert setting("app.erasing") == ""


@pytest.mark.parametrize("name", ["app.project_id", "role", "row_security", "app.x; drop", "app.Erasing", "app."])
def test_other_settings_are_refused(db: None, name: str) -> None:
    with pytest.raises(ValueError, match="app"), local_setting(name, "x"):
        pytest.fail("set")


def test_state_belongs_to_one_thread(fresh_db: str) -> None:
    seen: list[tuple[bool, int | None, str]] = []

    def look() -> None:
        try:
            seen.append((in_unit(), bound_project(), setting()))
            with bind(2):
                seen.append((in_unit(), bound_project(), setting()))
        finally:
            connections.close_all()

    with bind(1):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert (bound_project(), setting()) == (1, "1")
    assert seen == [(False, None, ""), (True, 2, "2")]
