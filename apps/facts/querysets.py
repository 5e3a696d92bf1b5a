"""The reusable filters of facts. `active` is said here once, for every reader that is not the SQL of the hot read."""

from functools import reduce
from operator import and_

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class FactQuerySet(models.QuerySet["Fact"]):  # type: ignore[name-defined]
    """Facts of the bound project, narrowed."""

    def in_project(self, project_id: int) -> "FactQuerySet":
        return self.filter(project_id=project_id)

    def current(self) -> "FactQuerySet":
        """Neither superseded nor retired."""
        return self.filter(superseded_at=None, retired_at=None)

    def active(self) -> "FactQuerySet":
        """What may be told: current, not restricted, not expired, within its validity. The database's clock decides."""
        return self.current().filter(
            Q(expires_at=None) | Q(expires_at__gt=Now()),
            Q(valid_from=None) | Q(valid_from__lte=Now()),
            Q(valid_to=None) | Q(valid_to__gt=Now()),
            restricted_at=None,
        )

    def of_scope(self, scope: str, scope_id: str) -> "FactQuerySet":
        """One scope id, literally; an empty one matches nothing."""
        return self.filter(scope=scope, scope_id=scope_id) if scope_id else self.none()

    def saying(self, words: str) -> "FactQuerySet":
        """Facts that contain every one of ``words`` somewhere, in any case; no word matches all."""
        parts = words.split()[:20]
        return self.filter(reduce(and_, (Q(content__icontains=part) for part in parts))) if parts else self
