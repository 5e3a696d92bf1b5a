"""What a line of a file says, on its way to a statement; and the small readings that every shape shares."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.core.clock import now
from apps.facts.models import SPEAKERS
from apps.facts.statement import Statement

MOST_TRUST = 4
"""What comes in a file is never trusted as much as what a curator wrote here."""
FOREIGN_TRUST = 3
"""Of another product's memory nobody knows who said it."""


class Unfit(Exception):
    """A line that can't be taken in, by a code of `reasons.EXPLAINED`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """One statement of a line. ``observed_at`` is null where the file gives no date: nobody knows how old it is then.

    ``labelled``: the file says how sensitive it is, in our words. ``label``, ``key`` and ``value`` as on a fact.
    ``closed`` says why it is told no longer where it comes from, empty for what is; ``derived_from`` are ids of the file.
    """

    statement: Statement
    label: str = ""
    key: str | None = None
    value: Any = None
    observed_at: datetime | None = None
    speaker: str = "unknown"
    trust: int = FOREIGN_TRUST
    labelled: bool = False
    source_trace_id: str | None = None
    derived_from: tuple[int, ...] = ()
    closed: str = ""


def text(record: dict[str, Any], *names: str) -> str:
    """The first of these fields that is there, as text; a number counts as its digits. Raises Unfit for anything else."""
    for name in names:
        value = record.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise Unfit("wrong_type")
    return ""


def share(value: Any, default: float) -> float:
    """A number from 0 to 1, also one written as text. Raises Unfit."""
    if value is None or value == "":
        return default
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise Unfit("wrong_type") from None
    if isinstance(value, bool):
        raise Unfit("wrong_type")
    if not 0 <= found <= 1:
        raise Unfit("out_of_range")
    return found


def moment(value: Any) -> datetime | None:
    """A time in ISO 8601, of UTC where it names no zone, or in seconds since 1970, also written as text; null for none.
    Raises Unfit."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            value = _number(value)
        else:
            return _within(found if found.tzinfo else found.replace(tzinfo=UTC))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Unfit("invalid_timestamp")
    try:
        # Thousandths, as some clients count them: in seconds it would be far beyond the year 5000.
        return _within(datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC))
    except (OverflowError, OSError, ValueError):
        raise Unfit("invalid_timestamp") from None


def said_at(value: Any) -> datetime | None:
    """When something was said. A time to come is none: nobody can say then how old it is."""
    found = moment(value)
    return None if found is None or found > now() else found


def speaker(value: Any) -> str:
    """One of ours, or unknown."""
    return value if isinstance(value, str) and value in SPEAKERS else "unknown"


def _within(found: datetime) -> datetime:
    try:
        found = found.astimezone(UTC)
        found + timedelta(days=366)
    except OverflowError:
        raise Unfit("invalid_timestamp") from None
    return found


def _number(said: str) -> float:
    try:
        return float(said)
    except ValueError:
        raise Unfit("invalid_timestamp") from None
