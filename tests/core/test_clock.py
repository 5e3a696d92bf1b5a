"""Whose clock it is: the process' own while it agrees with the database's, and the database's where it does not."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from apps.core import clock
from apps.core.transactions import bind

HOUR = 3600.0


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> "Own":
    """Clocks that a test sets."""
    own = Own()
    monkeypatch.setattr(clock, "time", own)
    monkeypatch.setattr(clock, "datetime", own)
    monkeypatch.setattr(clock, "steady", lambda: own.steady)
    monkeypatch.setattr(clock, "_ahead", own.at - own.steady)
    return own


class Own:
    at, steady = 1_800_000_000.0, 500.0

    def time(self) -> float:
        return self.at

    def now(self, zone: object) -> datetime:
        assert zone is UTC
        return moment(self.at)

    def goes_on(self, seconds: float) -> None:
        self.at, self.steady = self.at + seconds, self.steady + seconds


def moment(at: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)


def test_a_clock_that_agrees_is_taken_as_it_is(own: Own) -> None:
    true = own.at
    clock.hear(true + 0.9, asked=own.steady)
    assert clock.now() == moment(true)
    own.goes_on(10)
    assert (clock.now(), clock.seconds()) == (moment(true + 10), true + 10)


@pytest.mark.parametrize("off", [-HOUR, HOUR, 2.5, -400 * 24 * HOUR])
def test_a_clock_that_is_off_is_put_right_by_what_was_heard(own: Own, off: float) -> None:
    true = own.at
    own.at += off
    clock.hear(true, asked=own.steady)
    assert clock.now() == moment(true)
    own.goes_on(30)
    assert clock.now() == moment(true + 30)


@pytest.mark.parametrize("jump", [-2 * HOUR, 2 * HOUR])
def test_a_clock_that_jumps_is_followed_only_if_the_database_says_so(own: Own, jump: float) -> None:
    true = own.at
    own.at += jump
    assert clock.now() == moment(true)
    clock.hear(true + jump, asked=own.steady)
    assert clock.now() == moment(true + jump)


def test_an_own_clock_that_was_mended_is_used_again(own: Own) -> None:
    true = own.at
    own.at += HOUR
    clock.hear(true, asked=own.steady)
    own.at -= HOUR - 0.25
    clock.hear(true, asked=own.steady)
    assert clock.now() == moment(true + 0.25)


def test_an_answer_that_was_long_on_its_way_changes_nothing(own: Own) -> None:
    """The process was stopped between the question and the answer: what was heard is ten minutes old."""
    true, asked = own.at, own.steady
    own.goes_on(600)
    clock.hear(true, asked=asked)
    assert clock.now() == moment(true + 600)
    own.at += HOUR
    clock.hear(true, asked=asked)
    assert clock.now() == moment(true + 600)


def test_a_binding_hears_the_clock(database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_ahead", clock._ahead + HOUR)
    assert abs(clock.seconds() - time.time() - HOUR) < 1
    with bind(1):
        assert abs(clock.seconds() - time.time()) < 1


def test_a_new_connection_hears_the_clock(fresh_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setattr(clock, "_ahead", clock._ahead - HOUR)
    connection.ensure_connection()
    assert abs(clock.seconds() - time.time()) < 1
