"""When something that is put off comes back."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

MORNING = time(8)


@dataclass(frozen=True)
class Moment:
    """One choice: what it posts, its words, and the moment it means."""

    value: str
    label: str
    at: datetime


def moments() -> list[Moment]:
    """Tomorrow and in a week, each at eight in the morning where the reader is."""
    today = timezone.localdate()
    choices = [("tomorrow", "Tomorrow", 1), ("week", "In a week", 7)]
    return [Moment(value, label, _morning(today + timedelta(days=days))) for value, label, days in choices]


def moment_of(value: str, day: str) -> datetime | None:
    """The moment that a form names: a choice of `moments`, or a ``day`` as YYYY-MM-DD. None for neither."""
    for choice in moments():
        if choice.value == value:
            return choice.at
    try:
        return _morning(date.fromisoformat(day))
    except (ValueError, OverflowError):
        return None


def _morning(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, MORNING))
