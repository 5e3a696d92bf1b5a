"""Which backups hold what is erased now, and until when."""

from datetime import datetime

from apps.core.clock import now
from apps.privacy.models import Backup


def backups_holding(until: datetime | None = None) -> list[dict[str, str]]:
    """Every dump there is that was taken up to ``until`` (now, if none), the oldest first: taken_at, expires_at, in ISO 8601.
    What was erased by then is in each, until it expires. Of the whole installation; no place is named."""
    rows = Backup.objects.filter(removed_at=None, taken_at__lte=until or now(), expires_at__gt=now())
    return [
        {"taken_at": taken.isoformat(timespec="seconds"), "expires_at": expires.isoformat(timespec="seconds")}
        for taken, expires in rows.order_by("taken_at", "id").values_list("taken_at", "expires_at")
    ]
