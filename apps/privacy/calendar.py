"""When a request is due: by calendar months, as the law counts, not by thirty days."""

import calendar
from datetime import datetime

MONTHS = 1
EXTENSION = 2
"""Further months, when the person was told so, with the reason, within the first."""


def months_after(moment: datetime, months: int) -> datetime:
    """The same day and time so many months on; the last day of a month that has no such day."""
    index = moment.month - 1 + months
    year, month = moment.year + index // 12, index % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))
