"""Which database role does what."""

from typing import Any


class OwnerMigrates:
    """Only the owner changes the schema; all reads and writes of the product go through the application role."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == "owner"
