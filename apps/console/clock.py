"""In which time zone somebody reads the console."""

from contextlib import AbstractContextManager
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone


def in_zone_of(user: Any) -> AbstractContextManager[None]:
    """Every ``<time>`` drawn inside is in the user's own zone; in UTC where the system no longer knows that one."""
    name = getattr(user, "time_zone", "UTC")
    return timezone.override(ZoneInfo(name) if name in zones() else ZoneInfo("UTC"))


def zones() -> list[str]:
    """Places and UTC, by name; none of the abbreviations and old names that are kept for compatibility."""
    return _ZONES


_AREAS = (
    "Africa/",
    "America/",
    "Antarctica/",
    "Arctic/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
)
_ZONES = ["UTC", *sorted(name for name in available_timezones() if name.startswith(_AREAS))]
