"""Checks of single values from outside: each returns the value in its Python type or raises `Unfit`."""

import math
import re
import uuid
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.core import clock
from apps.core.text import longest_mark_run, normalise, storable

MAX_MARKS = 8
"""The longest run of combining marks a text may hold."""

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Where the clocks of computers begin."""
_AHEAD = timedelta(hours=24)
# Written with [0-9] throughout, because \d also matches the digits of other scripts.
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,12}))?(Z|[+-][0-9]{2}:[0-9]{2})?",
    re.ASCII | re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Unfit(Exception):
    """What is wrong with a value: a stable code and one sentence that doesn't repeat it."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


def text(value: Any, max_length: int, *, allow_blank: bool = False, one_line: bool = False) -> str:
    """A string of at most `max_length` code points with something in it to see."""
    if not isinstance(value, str):
        raise Unfit("wrong_type", "Has to be a text.")
    if len(value) > max_length:
        raise Unfit("too_long", f"May have at most {max_length} characters.")
    if storable(value)[1]:
        code = "null_character" if "\x00" in value else "lone_surrogate"
        raise Unfit(code, "Holds a character that can't be stored.")
    if one_line and _CONTROL.search(value):
        raise Unfit("control_character", "May hold no line break or other control character.")
    if not allow_blank and not normalise(value):
        raise Unfit("blank", "May not be blank.")
    if longest_mark_run(value) > MAX_MARKS:
        raise Unfit("too_many_marks", f"May hold at most {MAX_MARKS} combining marks in a row.")
    return value


def number(value: Any, minimum: float | None = None, maximum: float | None = None) -> float:
    """A finite float within the bounds, which are included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit("wrong_type", "Has to be a number.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise Unfit("non_finite", "Has to be a finite number.")
    _in_range(result, minimum, maximum)
    return result


def integer(value: Any, minimum: int | None = None, maximum: int | None = None) -> int:
    """An int within the bounds, which are included."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unfit("wrong_type", "Has to be a whole number.")
    _in_range(value, minimum, maximum)
    return value


def boolean(value: Any) -> bool:
    """A bool."""
    if not isinstance(value, bool):
        raise Unfit("wrong_type", "Has to be true or false.")
    return value


def choice(value: Any, choices: Collection[str]) -> str:
    """One of `choices`."""
    if not isinstance(value, str):
        raise Unfit("wrong_type", "Has to be a text.")
    if value not in choices:
        raise Unfit("unknown_choice", f"Has to be one of: {', '.join(choices)}.")
    return value


def timestamp(value: Any, *, allow_future: bool = False, earliest: datetime = _EARLIEST) -> datetime:
    """An RFC 3339 moment from the year 2000 on, or from ``earliest``, in UTC, cut to microseconds; at most 24 hours ahead by
    default."""
    if not isinstance(value, str):
        raise Unfit("wrong_type", "Has to be a text with a date, a time and an offset.")
    match = _TIMESTAMP.fullmatch(value)
    if not match:
        raise Unfit("invalid_timestamp", "Has to look like 2031-05-28T14:03:00Z.")
    moment, fraction, offset = match.groups()
    if not offset:
        raise Unfit("timezone_required", "Needs Z or an offset such as +02:00.")
    try:
        parsed = datetime.fromisoformat(moment.upper() + offset.upper().replace("Z", "+00:00"))
    except ValueError:
        raise Unfit("invalid_timestamp", "There is no such date, time or offset.") from None
    try:
        result = parsed.astimezone(UTC).replace(microsecond=int((fraction or "0")[:6].ljust(6, "0")))
    except OverflowError:
        raise Unfit("out_of_range", "Is out of range.") from None
    if result < earliest:
        raise Unfit("out_of_range", f"May not be before the year {earliest.year}.")
    if not allow_future and result > clock.now() + _AHEAD:
        raise Unfit("out_of_range", "May be at most 24 hours ahead.")
    return result


def uuid_(value: Any) -> uuid.UUID:
    """A UUID in its form with hyphens."""
    if not isinstance(value, str):
        raise Unfit("wrong_type", "Has to be a text with a UUID.")
    if not _UUID.fullmatch(value):
        raise Unfit("invalid_uuid", "Has to be a UUID.")
    return uuid.UUID(value)


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Unfit("wrong_type", "Has to be an object.")
    return value


def items(value: Any, min_items: int, max_items: int) -> list[Any]:
    """A JSON array whose length is within the bounds, which are included."""
    if not isinstance(value, list):
        raise Unfit("wrong_type", "Has to be a list.")
    if len(value) < min_items:
        raise Unfit("too_few", f"Needs at least {min_items}.")
    if len(value) > max_items:
        raise Unfit("too_many", f"May have at most {max_items}.")
    return value


def _in_range(value: float, minimum: float | None, maximum: float | None) -> None:
    if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        if minimum is None:
            raise Unfit("out_of_range", f"May be at most {maximum}.")
        if maximum is None:
            raise Unfit("out_of_range", f"Has to be at least {minimum}.")
        raise Unfit("out_of_range", f"Has to be from {minimum} to {maximum}.")
