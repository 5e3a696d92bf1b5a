"""The figures of a project, and how far each member has seen."""

from django.db import models
from django.db.models.functions import Now

from apps.access.models import User
from apps.tenancy.models import Project


class Figures(models.Model):
    """What `sql/figures.sql` counted at ``at``: its JSON has numbers, codes and ids of facts. ``stamp`` is what the
    project's newest rows were then, by which an idle one is known; ``next_at`` is when to look again."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE)
    at = models.DateTimeField()
    next_at = models.DateTimeField()
    stamp = models.CharField(max_length=200)
    counted = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="insight_figures_next_idx")]

    def __str__(self) -> str:
        return f"figures of {self.project_id}"


class Visit(models.Model):
    """Up to when a member has seen what changed in a project: he says so himself."""

    id: int
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="insight_visit_uniq")]

    def __str__(self) -> str:
        return f"{self.user_id} until {self.seen_at:%Y-%m-%d %H:%M}"
