"""Moments in an address, as people write them and as a date-time field sends them."""

from datetime import UTC, datetime

from apps.core.clock import now
from apps.core.errors import Invalid


def moment_of(text: str, *, since: datetime) -> datetime:
    """The moment in UTC that ``text`` names: 2026-11-03, 2026-11-03T09:00, with an offset or without, which is UTC.

    Raises Invalid ``invalid_moment`` for what is none, ``in_the_future`` and ``before_the_project`` (``since``).
    """
    try:
        # An address turns the plus of an offset into a space.
        moment = datetime.fromisoformat(_plus(text.strip()))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid("invalid_moment", "Has to look like 2026-11-03 09:00.", parameter="at") from None
    if moment > now():
        raise Invalid("in_the_future", "That moment is still to come.", parameter="at")
    # The field that asks for a moment knows no seconds.
    if moment < since.replace(second=0, microsecond=0):
        raise Invalid("before_the_project", f"The project was made later, on {in_words(since)}.", parameter="at")
    return moment


def _plus(text: str) -> str:
    day, _, rest = text.partition("T")
    clock, space, offset = rest.partition(" ")
    return f"{day}T{clock}+{offset}" if space and offset[:1].isdigit() else text


def written(moment: datetime) -> str:
    """As it stands in an address: 2026-11-03T09:00, with the seconds where there are any."""
    at = moment.astimezone(UTC).replace(tzinfo=None)
    return at.isoformat(timespec="seconds" if at.second else "minutes")


def in_words(moment: datetime) -> str:
    """3 Nov 2026 09:00 UTC"""
    at = moment.astimezone(UTC)
    return f"{at.day} {at:%b %Y %H:%M} UTC"
