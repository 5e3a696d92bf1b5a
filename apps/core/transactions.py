"""The unit of work: one transaction, the project it is bound to, and what must happen last before it commits.

All state is per database connection, and connections belong to one thread.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from apps.core import clock

_BIND = f"SELECT set_config('app.project_id', %s, true), {clock.LATEST}"
_SETTING = re.compile(r"app\.[a-z_]+")


@dataclass
class _State:
    depth: int = 0
    project: int | None = None


class _BeforeCommit:
    """Rides in Django's on-commit list, from which Django itself drops what a rolled back savepoint had
    registered."""

    def __init__(self, run: Callable[[], object], project: int | None) -> None:
        self.run = run
        self.project = project
        self.done = False

    def __call__(self) -> None:
        """Nothing is left to do after the commit."""


@contextmanager
def unit(*, using: str = "default") -> Iterator[None]:
    """A transaction, or a savepoint inside an open one; a raised error rolls back what this block did.

    As the outermost unit ends, the callbacks of `on_before_commit` run, then it commits. An error in one of
    them rolls the whole unit back. "Outermost" counts units only, so that a transaction a test or a face
    holds around it changes nothing.
    """
    with _block(using):
        yield


@contextmanager
def bind(project_id: int | None, *, using: str = "default") -> Iterator[None]:
    """A unit that sees and writes the rows of `project_id` only; None sees no row of any project.

    May be nested: leaving puts the earlier binding back. Raises ValueError for an id that is not a positive
    integer.
    """
    if project_id is not None and (type(project_id) is not int or project_id < 1):
        raise ValueError("A project id is a positive integer.")
    with _block(using):
        _bind(using, project_id)
        yield


def on_before_commit(fn: Callable[[], object], *, using: str = "default") -> None:
    """Have `fn()` run once, as the last thing before the outermost unit commits, under the binding of this
    moment.

    It does not run if that unit, or the nested one it was registered in, is rolled back. Callbacks run in
    the order of registration; one registered by another callback runs after those already waiting. Raises
    RuntimeError outside a unit.
    """
    connection = connections[using]
    state = _state(connection)
    if not state.depth:
        raise RuntimeError("on_before_commit needs an open unit.")
    transaction.on_commit(_BeforeCommit(fn, state.project), using=using)


def in_unit(*, using: str = "default") -> bool:
    """Whether a unit is open on this thread's connection."""
    return _state(connections[using]).depth > 0


def bound_project(*, using: str = "default") -> int | None:
    """The project this thread's connection is bound to, or None."""
    return _state(connections[using]).project


def bound_by_database(project_id: int, *, using: str = "default") -> None:
    """Say that a function of the database has just bound `project_id` for its transaction by itself.

    Where that was a transaction of its own, it is over and so is the binding; in an open one the binding of this thread
    is put back, or what comes next in it would see and write the rows of the wrong project.
    """
    connection = connections[using]
    if connection.in_atomic_block and _state(connection).project != project_id:
        _bind(using, _state(connection).project)


@contextmanager
def local_setting(name: str, value: object, *, using: str = "default") -> Iterator[None]:
    """A unit in which the database setting `name` ("app.erasing") is `value`; leaving puts the earlier one
    back.

    Triggers read it with `current_setting(name, true)`. Raises ValueError for a name that is not
    `app.<word>`, or for `app.project_id`, which is bound by `bind` alone.
    """
    if not _SETTING.fullmatch(name) or name == "app.project_id":
        raise ValueError("Only settings called app.<word> are set here, and app.project_id by bind() alone.")
    with _block(using):
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [name])
            (before,) = cursor.fetchone()
        _set(using, name, str(value))
        yield
        if not connections[using].needs_rollback:
            _set(using, name, before)


@contextmanager
def _block(using: str) -> Iterator[None]:
    connection = connections[using]
    state = _state(connection)
    outermost = state.depth == 0
    # A binding is local to its transaction, so that it needs putting back only if that goes on after this
    # block.
    goes_on = connection.in_atomic_block
    before = state.project
    state.depth += 1
    try:
        with transaction.atomic(using=using):
            yield
            # An inner block may have doomed the transaction without an error; Django then rolls back here.
            if not connection.needs_rollback:
                if outermost:
                    _run_before_commit(connection, using)
                if goes_on and state.project != before:
                    _bind(using, before)
    finally:
        state.depth -= 1
        # After an error the rollback has put the setting itself back; only our note of it is left to mend.
        state.project = before


def _run_before_commit(connection: BaseDatabaseWrapper, using: str) -> None:
    state = _state(connection)
    while waiting := [
        entry[1] for entry in connection.run_on_commit if isinstance(entry[1], _BeforeCommit) and not entry[1].done
    ]:
        for callback in waiting:
            callback.done = True
            if callback.project != state.project:
                _bind(using, callback.project)
            callback.run()


def _bind(using: str, project_id: int | None) -> None:
    value, asked = "" if project_id is None else str(project_id), clock.steady()
    with connections[using].cursor() as cursor:
        cursor.execute(_BIND, [value])
        (_, moment) = cursor.fetchone()
    clock.hear(moment, asked=asked)
    _state(connections[using]).project = project_id


def _set(using: str, name: str, value: str) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])


def _state(connection: BaseDatabaseWrapper) -> _State:
    try:
        state: _State = connection.memoryplane_unit  # type: ignore[attr-defined]
    except AttributeError:
        state = connection.memoryplane_unit = _State()  # type: ignore[attr-defined]
    return state
