"""The reusable filters of proposals."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

UNDECIDED = Q(state__in=["pending", "quarantined"])
WAITING = UNDECIDED & (Q(snoozed_until=None) | Q(snoozed_until__lte=Now()))
SNOOZED = UNDECIDED & Q(snoozed_until__gt=Now())


class ProposalQuerySet(models.QuerySet["Proposal"]):  # type: ignore[name-defined]
    """Proposals of the bound project, narrowed."""

    def in_project(self, project_id: int) -> "ProposalQuerySet":
        return self.filter(project_id=project_id)

    def waiting(self) -> "ProposalQuerySet":
        """Undecided and not snoozed: what somebody should look at now."""
        return self.filter(WAITING)

    def snoozed(self) -> "ProposalQuerySet":
        """Undecided and put off; each comes back by itself."""
        return self.filter(SNOOZED)

    def undecided(self) -> "ProposalQuerySet":
        return self.filter(UNDECIDED)
