"""The clock of the process. Leases and expiry are decided by the database's clock, never by this one."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment as an aware datetime in UTC."""
    return datetime.now(UTC)
