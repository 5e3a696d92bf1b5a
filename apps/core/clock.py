"""The present moment by the database's clock, which decides leases, due times and expiry for all processes.

Each machine has a clock of its own, and one may be hours off or jump. So every binding of a transaction and every new
connection hears the database's (`hear`), and `now` says what it shows: this process' own clock while that agrees with
what was heard to a second, else what was heard and the time that has gone by since, by a clock that nobody sets.
"""

import time
from datetime import UTC, datetime, timedelta

AGREES = 1.0
"""Seconds. Two clocks that are kept by the same means differ by less, and one's own is finer than what can be heard."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Goes on while the machine sleeps, where there is one that does.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

LATEST = "extract(epoch FROM clock_timestamp())::float8"
"""What to ask the database for."""


def steady() -> float:
    """Seconds since some moment, by a clock that nobody sets."""
    return time.clock_gettime(_STEADY)


_ahead = time.time() - steady()
"""By how much the database's clock is ahead of the steady one, as far as is known."""


def hear(moment: float, *, asked: float) -> None:
    """The database's clock showed ``moment`` (LATEST), some time between ``asked`` (steady()) and now.

    What is known is changed only where it can't be true, so that an answer that was long on its way does no harm.
    """
    global _ahead
    heard = steady()
    least, most = moment - heard - AGREES, moment - asked + AGREES
    if least <= _ahead <= most:
        return
    own = time.time() - heard
    _ahead = own if least <= own <= most else (least + most) / 2


def now() -> datetime:
    """The present moment as an aware datetime in UTC."""
    own, known = time.time(), steady() + _ahead
    return datetime.now(UTC) if abs(own - known) <= AGREES else _EPOCH + timedelta(seconds=known)


def seconds() -> float:
    """The present moment in seconds since 1970."""
    return now().timestamp()
