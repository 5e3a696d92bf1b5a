"""A process whose own clock is off by CLOCK_OFF seconds; Python loads this first where its folder is on PYTHONPATH."""

import copyreg
import datetime
import os
import time

OFF = float(os.environ["CLOCK_OFF"])
_time, _time_ns, _right = time.time, time.time_ns, datetime.datetime


class _Any(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _right)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _right)


class datetime_(_right, metaclass=_Any):
    @classmethod
    def now(cls, tz=None):  # type: ignore[no-untyped-def]
        return _right.now(tz) + datetime.timedelta(seconds=OFF)

    @classmethod
    def today(cls):  # type: ignore[no-untyped-def]
        return cls.now()

    @classmethod
    def utcnow(cls):  # type: ignore[no-untyped-def]
        return cls.now(datetime.UTC).replace(tzinfo=None)


time.time = lambda: _time() + OFF
time.time_ns = lambda: _time_ns() + int(OFF * 1e9)
datetime.datetime = datetime_  # type: ignore[misc]
# Moments of either class are kept under the one name, which another process finds too.
datetime_.__module__, datetime_.__qualname__ = "datetime", "datetime"
copyreg.pickle(_right, lambda moment: (datetime_, moment.__reduce_ex__(2)[1]))
